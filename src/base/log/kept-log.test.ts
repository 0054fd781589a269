import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { keptLogMark, openKeptLog, readKeptLog } from "./kept-log.ts";
import { createPinoLogger } from "./pino-logger.ts";
import { createTestClock } from "../testing/test-clock.ts";

function createFolder() {
  const folder = mkdtempSync(join(tmpdir(), "forager-kept-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
const line = (second: number, msg: string) =>
  `${JSON.stringify({ level: "info", time: new Date(second * 1_000).toISOString(), msg })}\n`;
const messages = (folder: string, linesMax = 100) =>
  readKeptLog(folder, { linesMax }).map((text) => (JSON.parse(text) as { msg: string }).msg);

test("the newest lines of all processes, in the order of their time", () => {
  const folder = createFolder();
  const [a, b] = ["1", "2"].map((name) => openKeptLog({ folder, name }));
  a!.write(line(1, "one"));
  b!.write(line(2, "two"));
  a!.write(line(3, "three"));
  expect(messages(folder)).toEqual(["one", "two", "three"]);
  expect(messages(folder, 2)).toEqual(["two", "three"]);
});

test("what is kept is bounded: in a process that says much, and by processes that were started often", () => {
  const folder = createFolder();
  const kept = openKeptLog({ folder, name: "1", fileBytesMax: 2_000 });
  for (let at = 0; at < 500; at++) kept.write(line(at, `message ${at}`));
  expect(messages(folder).at(-1)).toBe("message 499");
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(5_000);
  for (let at = 0; at < 100; at++) openKeptLog({ folder, name: `p${at}` }).write(line(at, "x"));
  expect(readdirSync(folder).length).toBeLessThanOrEqual(40);
});

test("half a line that a crash left is skipped; a folder that is not there is empty", () => {
  const folder = createFolder();
  openKeptLog({ folder, name: "1" }).write(line(1, "whole"));
  appendFileSync(join(folder, "1.jsonl"), '{"level":"info","ti');
  expect(messages(folder)).toEqual(["whole"]);
  expect(readKeptLog(join(folder, "none"), { linesMax: 5 })).toEqual([]);
  expect(keptLogMark(join(folder, "none"))).toBe("");
});

test("the mark shows whether somebody has written", () => {
  const folder = createFolder();
  const kept = openKeptLog({ folder, name: "1" });
  kept.write(line(1, "a"));
  const mark = keptLogMark(folder);
  expect(keptLogMark(folder)).toBe(mark);
  kept.write(line(2, "b"));
  expect(keptLogMark(folder)).not.toBe(mark);
});

test("if nothing can be written, work continues", () => {
  const folder = createFolder();
  writeFileSync(join(folder, "file"), "");
  openKeptLog({ folder: join(folder, "file"), name: "1" }).write(line(1, "lost"));
});

test("B27: a logger's lines are kept without secrets, also those inside an address", () => {
  const folder = createFolder();
  const clock = createTestClock();
  const shown: string[] = [];
  const log = createPinoLogger({
    level: "info",
    destination: { write: (text: string) => void shown.push(text) },
    pretty: true,
    kept: openKeptLog({ folder, name: "1" }),
    clock,
  });
  log.info("opened", {
    url: "postgres://forager:hunter2@db.example/x?sslmode=require",
    password: "hunter2",
    error: new Error("connect to https://u:hunter2@h.example failed"),
    mail: "info@acme.example",
  });
  log.debug("not wanted");
  const text = readKeptLog(folder, { linesMax: 9 }).join("\n");
  expect(text).not.toContain("hunter2");
  expect(shown.join("")).not.toContain("hunter2");
  expect(text).toContain("postgres://forager:***@db.example/x?sslmode=require");
  expect(text).toContain("info@acme.example");
  expect(text.split("\n")).toHaveLength(1);
});
