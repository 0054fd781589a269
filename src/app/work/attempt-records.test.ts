import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createPaths } from "../../config/index.ts";
import type { AttemptRecord } from "../../worker/index.ts";
import { attemptsIn, createAttemptRecords, readAttemptLines } from "./attempt-records.ts";

function openPlace() {
  const folder = mkdtempSync(join(tmpdir(), "forager-attempts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const paths = createPaths(folder);
  const clock = createTestClock();
  const records = createAttemptRecords({ paths, worker: "pi-2.1.77", pid: 77, clock });
  const read = async (query: { readonly gate?: string; readonly task?: number }) =>
    attemptsIn(await readAttemptLines(paths), query, "pi-2");
  return { paths, clock, records, read };
}

const attempt = (task: number, more: Partial<AttemptRecord> = {}): AttemptRecord => ({
  task,
  token: 5_120,
  kind: "enrich",
  gate: "example.org",
  startedAtMs: 1_700_000_000_000.25,
  ranMs: 812.5,
  sentMs: [3.2],
  delayMs: 1_000,
  outcome: "done",
  isSlowDown: false,
  retryAfterMs: 0,
  ...more,
});

test("is read by gate and by task, and names node and worker", async () => {
  const { clock, records, read } = openPlace();
  expect(await read({ gate: "example.org" })).toEqual([]);
  records.add(attempt(1));
  records.add(attempt(12, { gate: "other.example", sentMs: [] }));
  await clock.advance(1_000);
  expect(await read({ gate: "example.org" })).toEqual([
    { ...attempt(1), startedAtMs: 1_700_000_000_000, ranMs: 813, sentMs: [3], time: "2023-11-14T22:13:20.812Z", node: "pi-2", worker: "pi-2.1.77" }, // prettier-ignore
  ]);
  expect(await read({ task: 12 })).toMatchObject([{ task: 12, sentMs: [] }]);
  expect(await read({ task: 2 })).toEqual([]);
});

test("a gate's name in a field of another record does not match", async () => {
  const { clock, records, read } = openPlace();
  records.add(attempt(1, { kind: '"gate":"example.org"', gate: "x" }));
  await clock.advance(1_000);
  expect(await read({ gate: "example.org" })).toEqual([]);
});

test("what was not written yet is written at the end", async () => {
  const { records, read } = openPlace();
  records.add(attempt(1));
  records[Symbol.dispose]();
  expect(await read({ task: 1 })).toHaveLength(1);
});

test("a flood costs bounded time and space, and attempts with a gate go first", async () => {
  const { paths, clock, records, read } = openPlace();
  for (let second = 0; second < 30; second++) {
    for (let at = 0; at < 5_000; at++) records.add(attempt(second, { gate: "" }));
    records.add(attempt(1_000 + second));
    await clock.advance(1_000);
  }
  const sizes = readdirSync(paths.attempts()).map((name) => statSync(join(paths.attempts(), name)).size); // prettier-ignore
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(2.2 * 1024 * 1024);
  expect(await read({ task: 29 })).toHaveLength(200);
  expect(await read({ gate: "example.org" })).toHaveLength(30);
});
