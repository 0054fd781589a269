import { describe, expect, test } from "vitest";
import { createAlertBook } from "./alert-book.ts";
import { createStallDetector, type PartReading } from "./stall.ts";

const minuteMs = 60_000;
const options = { stallMs: () => 15 * minuteMs, stuckMs: 10 * minuteMs };

const page: PartReading = { of: "kind", part: "page", claimable: 1, completed: 0, oldestMs: 0 };

/** Reads the part once a minute; what was reported, as "minute event". */
function watch(minutes: number, at: (minute: number) => Partial<PartReading>): string[] {
  const detector = createStallDetector(options);
  const book = createAlertBook();
  const reported: string[] = [];
  for (let minute = 0; minute <= minutes; minute++) {
    const reading = { ...page, claimable: 5, ...at(minute) };
    for (const { event } of book.update(detector.read([reading], minute * minuteMs))) {
      reported.push(`${minute} ${event}`);
    }
  }
  return reported;
}

describe("A7: a stall", () => {
  test("is work that could run, and no completion for 15 minutes; reported once", () => {
    expect(watch(40, () => ({}))).toEqual(["15 stall_began"]);
  });
  test("ends with the next completion, which is reported too", () => {
    expect(watch(40, (minute) => ({ completed: minute >= 20 ? 1 : 0 }))).toEqual([
      "15 stall_began",
      "20 stall_ended",
      "35 stall_began",
    ]);
  });
  test("is not one while something is completed now and then", () => {
    expect(watch(60, (minute) => ({ completed: Math.floor(minute / 14) }))).toEqual([]);
  });
  test("is not one when all that waits, waits for its gates, its moment or a paused job", () => {
    expect(watch(60, () => ({ claimable: 0 }))).toEqual([]);
  });
  test("counts from when work could run, not from the last completion", () => {
    expect(watch(60, (minute) => ({ claimable: minute < 30 ? 0 : 3 }))).toEqual(["45 stall_began"]);
  });
  test("is not ended by a purge that lowers the counter", () => {
    expect(watch(14, (minute) => ({ completed: minute === 10 ? 90 : 100 }))).toEqual([]);
  });
});

describe("D5: a stuck task", () => {
  test("could run and waits ten minutes, though others are completed", () => {
    const reported = watch(30, (minute) => ({
      completed: minute,
      oldestMs: minute < 20 ? minute * minuteMs : 0,
    }));
    expect(reported).toEqual(["11 stuck_began", "20 stuck_ended"]);
  });
  test("is not one that came due just now, though it was added long ago", () => {
    const reported = watch(30, (minute) => ({
      completed: minute,
      oldestMs: minute % 2 === 0 ? 60 * minuteMs : 0,
    }));
    expect(reported).toEqual([]);
  });
});

test("A7: each kind and each shard by itself; one that is gone is forgotten", () => {
  const detector = createStallDetector(options);
  const shard: PartReading = { ...page, of: "shard", part: "3" };
  const map = { ...page, part: "map" };
  detector.read([page, map, shard], 0);
  const found = detector.read([page, { ...map, completed: 1 }, shard], 15 * minuteMs);
  expect(found).toMatchObject([
    { name: "stall", of: "kind", part: "page" },
    { name: "stall", of: "shard", part: "3" },
  ]);
  expect(detector.read([map], 15 * minuteMs)).toEqual([]);
  expect(detector.read([page], 15 * minuteMs)).toEqual([]);
});
