import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createPhysicalTime } from "./physical-time.ts";
import {
  aheadMsMax,
  compareTimes,
  counterMax,
  dayOf,
  isAhead,
  noTime,
  parseStamp,
  stampOf,
  tick,
  witness,
} from "./stamp.ts";

const moment = fc.record({
  ms: fc.integer({ min: 0, max: Date.UTC(2500, 0, 1) }),
  counter: fc.integer({ min: 0, max: counterMax }),
});

describe("a stamp", () => {
  test("has fixed width, comes back, and its text order is its order", () => {
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        const [left, right] = [stampOf(a), stampOf(b)];
        expect(left.length).toBe(29);
        expect(parseStamp(left)).toEqual(a);
        expect(Math.sign(left < right ? -1 : left > right ? 1 : 0)).toBe(
          Math.sign(compareTimes(a, b)),
        );
      }),
    );
  });

  test("text that only looks like one is refused", () => {
    for (const text of [
      "",
      "2026-11-15T19:02:03.004Z",
      "2026-11-15T19:02:03.004Z-00071",
      "2026-02-30T19:02:03.004Z-0007",
      "2026-11-15T19:02:03.004Z-000G",
      "+12026-11-15T19:02:03.004Z-0007",
      "2026-11-15T25:02:03.004Z-0007",
    ]) {
      expect(() => parseStamp(text), text).toThrow(/is not a stamp/);
    }
  });

  test("lesson 44: its day is the UTC day", () => {
    expect(dayOf("2026-11-15T23:59:59.999Z-0007")).toBe("20261115");
  });
});

describe("the hybrid clock", () => {
  test("gives text that rises with every step, whatever the physical clock does", () => {
    const step = fc.oneof(
      fc.record({ wallMs: fc.integer({ min: 0, max: 4e12 }) }),
      fc.record({ seen: moment }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let last = noTime;
        let lastText = "";
        for (const one of steps) {
          if ("seen" in one) {
            last = witness(last, one.seen);
            if (stampOf(one.seen) > lastText) lastText = stampOf(one.seen);
            continue;
          }
          last = tick(last, one.wallMs);
          expect(stampOf(last) > lastText).toBe(true);
          expect(last.ms).toBeGreaterThanOrEqual(one.wallMs);
          lastText = stampOf(last);
        }
      }),
    );
  });

  test("a full counter runs over into the next millisecond", () => {
    const full = { ms: 5_000, counter: counterMax };
    expect(tick(full, 5_000)).toEqual({ ms: 5_001, counter: 0 });
    expect(tick(full, 9_000)).toEqual({ ms: 9_000, counter: 0 });
  });

  test("lesson 46: a stamp is ahead from one millisecond over the limit on", () => {
    const nowMs = Date.UTC(2026, 10, 15);
    const at = (ms: number) => stampOf({ ms, counter: 9 });
    expect(isAhead(at(nowMs + aheadMsMax), nowMs)).toBe(false);
    expect(isAhead(at(nowMs + aheadMsMax + 1), nowMs)).toBe(true);
  });
});

describe("physical time", () => {
  test("is the wall clock until the bucket was asked, then the bucket's, and no step moves it", async () => {
    const clock = createTestClock();
    const time = createPhysicalTime(clock);
    expect(time.nowMs()).toBe(clock.nowMs());
    expect(time.offsetMs()).toBeUndefined();
    const trueMs = clock.nowMs();
    clock.step(86_400_000);
    time.check({ earliestMs: trueMs, latestMs: trueMs + 1_000 });
    expect(time.offsetMs()).toBe(86_399_000);
    expect(time.nowMs()).toBe(trueMs + 500);
    clock.step(-3 * 86_400_000);
    await clock.advance(700);
    expect(time.nowMs()).toBe(trueMs + 1_200);
  });

  test("a wall clock that agrees with the bucket keeps its milliseconds", () => {
    const clock = createTestClock();
    const time = createPhysicalTime(clock);
    const wallMs = clock.nowMs();
    time.check({ earliestMs: wallMs - 2_900, latestMs: wallMs - 1_900 });
    expect(time.nowMs()).toBe(wallMs);
    expect(time.offsetMs()).toBe(1_900);
  });
});
