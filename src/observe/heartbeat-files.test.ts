import { mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createPaths } from "../config/index.ts";
import { createHeartbeatFile, readHeartbeats } from "./heartbeat-files.ts";
import type { Heartbeat } from "./heartbeat.ts";

function setUp() {
  const folder = mkdtempSync(join(tmpdir(), "forager-heartbeats-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = createTestClock();
  const paths = createPaths(folder);
  const of = (pid: number) => createHeartbeatFile({ paths, clock, host: "pi one/..", pid });
  const heartbeat = (pid: number): Heartbeat => ({
    format: 1,
    node: "pi one",
    pid,
    atMs: clock.nowMs(),
    version: "1.0.0",
    queue: "sqlite:queue.db",
    config: "abc",
    machine: {} as Heartbeat["machine"],
    workers: [],
    alerts: [],
  });
  const pids = async () => (await readHeartbeats({ paths, clock })).map(({ pid }) => pid);
  return { folder, clock, of, heartbeat, pids };
}

test("every process has its own heartbeat, which is gone when it stops", async () => {
  const { of, heartbeat, pids } = setUp();
  expect(await pids()).toEqual([]);
  const [one, two] = [of(1), of(2)];
  await one.start();
  await one.write(heartbeat(1));
  await two.write(heartbeat(2));
  expect(new Set(await pids())).toEqual(new Set([1, 2]));
  await one.stop();
  expect(await pids()).toEqual([2]);
});

test("a heartbeat older than a minute is not read; its file is removed after a day", async () => {
  const { folder, clock, of, heartbeat, pids } = setUp();
  await of(1).write(heartbeat(1));
  await clock.advance(60_000);
  expect(await pids()).toEqual([]);
  const [name = ""] = readdirSync(join(folder, "nodes"));
  const writtenAt = (agoMs: number) => {
    const at = new Date(clock.nowMs() - agoMs);
    utimesSync(join(folder, "nodes", name), at, at);
  };
  writtenAt(86_000_000);
  await of(2).start();
  expect(readdirSync(join(folder, "nodes"))).toEqual([name]);
  writtenAt(87_000_000);
  await of(2).start();
  expect(readdirSync(join(folder, "nodes"))).toEqual([]);
});
