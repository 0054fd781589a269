import { expect, test } from "vitest";
import { silentLogger } from "../base/log/logger.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createMetricHistory, historySchema, type StoredHistory } from "./metric-history.ts";

const minuteMs = 60_000;

function setUp() {
  const clock = createTestClock();
  let stored: StoredHistory | undefined;
  let saves = 0;
  const now = { pending: 0, done: 0 };
  const open = () =>
    createMetricHistory({
      clock,
      log: silentLogger,
      read: async () => ({ gauges: { pending: now.pending }, counters: { done: now.done } }),
      load: async () => stored,
      async save(history) {
        saves += 1;
        stored = historySchema.parse(JSON.parse(JSON.stringify(history)));
      },
    });
  const put = (history: StoredHistory) => void (stored = history);
  return { clock, now, open, put, saves: () => saves, stored: () => stored };
}

test("minutes become hours, counters become differences, and both outlive the process", async () => {
  const { clock, now, open } = setUp();
  const history = open();
  await history.start();
  for (let minute = 0; minute < 90; minute++) {
    now.pending = minute;
    now.done += 2;
    await clock.advance(minuteMs);
  }
  expect(history.minutes()).toHaveLength(91);
  expect(history.minutes().at(-1)?.values).toEqual({ pending: 89, done: 2 });
  expect(history.hours()).toHaveLength(1);
  expect(history.hours()[0]!.values["done"]).toBe(2);
  await history.stop();
  now.done = 0; // another process counts from nothing
  const next = open();
  await next.start();
  expect(next.minutes().length).toBeGreaterThanOrEqual(91);
  expect(next.hours()).toEqual(history.hours());
  await clock.advance(minuteMs);
  expect(next.minutes().at(-1)?.values["done"]).toBe(0);
  await next.stop();
});

test("the hour in which a process ended is kept, also if the next one starts days later", async () => {
  const { clock, now, open } = setUp();
  const history = open();
  await history.start();
  now.pending = 7;
  await clock.advance(10 * minuteMs);
  await history.stop();
  await clock.advance(3 * 24 * 60 * minuteMs);
  const next = open();
  await next.start();
  expect(next.minutes()).toHaveLength(1);
  expect(next.hours().map(({ values }) => Math.round(values["pending"]!))).toEqual([6]);
  await next.stop();
});

test("it is stored once an hour, and its size is bounded for good", async () => {
  const { clock, open, saves, stored, put } = setUp();
  const hour = (ago: number) => (Math.floor(clock.nowMs() / 3_600_000) - ago) * 3_600_000;
  put({
    format: 1,
    names: ["pending"],
    minutes: Array.from({ length: 1_439 }, (_, at) => [hour(0) - (1_439 - at) * minuteMs, at]),
    hours: Array.from({ length: 719 }, (_, at) => [hour(719 - at), at]),
  });
  const history = open();
  await history.start();
  await clock.advance(60 * minuteMs - 1);
  expect(saves()).toBe(0);
  expect(history.hours()).toHaveLength(719);
  await clock.advance(2 * 60 * minuteMs);
  expect(history.minutes()).toHaveLength(24 * 60);
  expect(history.hours()).toHaveLength(30 * 24);
  expect(saves()).toBe(2);
  expect(JSON.stringify(stored()).length).toBeLessThan(100_000);
  await history.stop();
  expect(saves()).toBe(3);
});

test("points that are too old, or in the future, are dropped at the start", async () => {
  const { clock, open } = setUp();
  const history = open();
  await history.start();
  await clock.advance(10 * minuteMs);
  await history.stop();
  clock.step(-365 * 86_400_000);
  const early = open();
  await early.start();
  expect(early.minutes()).toHaveLength(1);
  clock.step(2 * 365 * 86_400_000);
  const late = open();
  await late.start();
  expect(late.minutes()).toHaveLength(1);
  await early.stop();
  await late.stop();
});
