import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { silentLogger } from "../../base/log/logger.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createMemoryBucket } from "../../bucket/adapters/memory/memory-bucket.ts";
import { createMeter } from "../../bucket/index.ts";
import { createPaths } from "../../config/index.ts";
import { manyRequests, openUsageRecord, readUsage, storeEveryMs } from "./usage-record.ts";

function setUp() {
  const root = mkdtempSync(join(tmpdir(), "forager-usage-record-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const paths = createPaths(root);
  const clock = createTestClock();
  const warnings: string[] = [];
  const log = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
  const options = { paths, clock, log };
  const file = join(root, "node/usage.db");
  const open = () => {
    const meter = createMeter();
    const record = openUsageRecord({ ...options, meter });
    const bucket = meter.meter(createMemoryBucket({ clock }), "queue");
    return { record, ask: async (count: number) => repeat(count, () => bucket.get("a")) };
  };
  const stored = async () => {
    const rows = await readUsage("2000-01-01", options);
    return rows.reduce((sum, { requests }) => sum + requests, 0);
  };
  /** Advances the clock, and checks what is stored at that time. */
  const pass = async (ms: number, then: number) => {
    await clock.advance(ms);
    await expect.poll(() => stored()).toBe(then);
  };
  return { root, file, clock, warnings, options, open, stored, pass };
}

async function repeat(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done++) await work();
}

test("a process that sends nothing stores nothing", async () => {
  const { file, clock, open } = setUp();
  await using _record = open().record;
  await clock.advance(86_400_000);
  expect(existsSync(file)).toBe(false);
});

test("a busy process stores its counts every minute, and what is left at its end", async () => {
  const { open, pass, stored } = setUp();
  const { record, ask } = open();
  await ask(manyRequests);
  await pass(storeEveryMs, manyRequests);
  await ask(manyRequests);
  await pass(storeEveryMs, 2 * manyRequests);
  await ask(7);
  await record[Symbol.asyncDispose]();
  expect(await stored()).toBe(2 * manyRequests + 7);
});

test("A11: a process at rest stores its few requests once an hour", async () => {
  const { open, pass, file, clock } = setUp();
  const { record, ask } = open();
  for (let minute = 0; minute < 59; minute++) {
    await ask(15); // a heartbeat, reads of the desired state and of other nodes' writes
    await clock.advance(60_000);
  }
  expect(existsSync(file)).toBe(false);
  await pass(60_000, 59 * 15);
  await record[Symbol.asyncDispose]();
});

test("processes of one data folder add up, by the day of each request", async () => {
  const { open, stored, options, clock } = setUp();
  const [one, other] = [open(), open()];
  await one.ask(3);
  await other.ask(4);
  await clock.advance(1);
  clock.step(86_400_000);
  await one.ask(5);
  await one.record[Symbol.asyncDispose]();
  await other.record[Symbol.asyncDispose]();
  expect(await stored()).toBe(12);
  const rows = await readUsage("2000-01-01", options);
  expect(rows.map(({ requests }) => requests)).toEqual([7, 5]);
  expect(rows[0]!.day < rows[1]!.day).toBe(true);
});

test("counts that cannot be stored are kept for later, and said once", async () => {
  const { root, open, clock, warnings, stored } = setUp();
  writeFileSync(join(root, "node"), "in the way");
  const { record, ask } = open();
  await ask(manyRequests);
  await clock.advance(storeEveryMs);
  await expect.poll(() => warnings).toHaveLength(1);
  await clock.advance(storeEveryMs);
  await clock.advance(storeEveryMs);
  expect(warnings).toHaveLength(1);
  rmSync(join(root, "node"));
  await ask(1);
  await record[Symbol.asyncDispose]();
  expect(await stored()).toBe(manyRequests + 1);
});

test("a data folder that is not there is not made", async () => {
  const { root, open, clock, stored } = setUp();
  rmSync(root, { recursive: true });
  const { record, ask } = open();
  await ask(manyRequests);
  await clock.advance(storeEveryMs);
  expect(existsSync(root)).toBe(false);
  mkdirSync(root);
  await record[Symbol.asyncDispose]();
  expect(await stored()).toBe(manyRequests);
});
