import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sleep } from "../clock.ts";
import { createTestClock } from "./test-clock.ts";

describe("the test clock", () => {
  test("stands still by itself", () => {
    const clock = createTestClock(1000);
    expect([clock.nowMs(), clock.monotonicMs()]).toEqual([1000, 0]);
    expect([clock.nowMs(), clock.monotonicMs()]).toEqual([1000, 0]);
  });

  test("fires timers in order of moment, then of creation, each at its own time", async () => {
    const clock = createTestClock();
    const fired: string[] = [];
    const at = (delayMs: number, name: string) =>
      clock.setTimer(delayMs, () => fired.push(`${name}@${clock.monotonicMs()}`));
    at(20, "late");
    at(10, "first");
    at(10, "second");
    at(-5, "past");
    at(31, "beyond");
    await clock.advance(30);
    expect(fired).toEqual(["past@0", "first@10", "second@10", "late@20"]);
    expect(clock.monotonicMs()).toBe(30);
    expect(clock.pendingTimers()).toBe(1);
  });

  test("timers set by timers fire in the same advance, at their own moments", async () => {
    const clock = createTestClock();
    const firedAtMs: number[] = [];
    const again = () => {
      firedAtMs.push(clock.monotonicMs());
      clock.setTimer(10, again);
    };
    clock.setTimer(10, again);
    await clock.advance(45);
    expect(firedAtMs).toEqual([10, 20, 30, 40]);
  });

  test("what a timer wakes may await many promises before it sets the next timer", async () => {
    const clock = createTestClock();
    const wokenAtMs: number[] = [];
    const loop = async () => {
      for (let turn = 0; turn < 3; turn++) {
        await sleep(clock, 10);
        for (let hop = 0; hop < 50; hop++) await Promise.resolve();
        wokenAtMs.push(clock.monotonicMs());
      }
    };
    const done = loop();
    await clock.advance(30);
    expect(wokenAtMs).toEqual([10, 20, 30]);
    await done;
  });

  test("a timer cancelled by an earlier one of the same moment does not fire", async () => {
    const clock = createTestClock();
    const fired: string[] = [];
    clock.setTimer(10, () => {
      fired.push("first");
      second.cancel();
    });
    const second = clock.setTimer(10, () => fired.push("second"));
    await clock.advance(10);
    second.cancel();
    expect(fired).toEqual(["first"]);
  });

  test("a wall clock step moves neither monotonic time nor timers", async () => {
    const clock = createTestClock(1_000_000);
    let fired = 0;
    clock.setTimer(10, () => fired++);
    clock.step(-500_000);
    expect([clock.nowMs(), clock.monotonicMs(), fired]).toEqual([500_000, 0, 0]);
    await clock.advance(10);
    expect([clock.nowMs(), clock.monotonicMs(), fired]).toEqual([500_010, 10, 1]);
  });

  test("two advances at once take turns, so that time never goes back", async () => {
    const clock = createTestClock();
    const seenMs: number[] = [];
    for (const delayMs of [5, 50, 105]) {
      clock.setTimer(delayMs, () => seenMs.push(clock.monotonicMs()));
    }
    await Promise.all([clock.advance(100), clock.advance(10)]);
    expect(seenMs).toEqual([5, 50, 105]);
    expect(clock.monotonicMs()).toBe(110);
  });

  test("a timer that throws fails the advance it fired in, and no other", async () => {
    const clock = createTestClock();
    clock.setTimer(10, () => {
      throw new Error("boom");
    });
    await expect(clock.advance(20)).rejects.toThrow("boom");
    await clock.advance(20);
    expect(clock.monotonicMs()).toBe(30);
  });

  test("refuses to move time backwards and delays that are not a number", async () => {
    const clock = createTestClock();
    await expect(clock.advance(-1)).rejects.toThrow("time only moves forward");
    expect(() => clock.setTimer(NaN, () => {})).toThrow("a timer needs a delay");
  });

  test("the same timers give the same trace, and how the time is cut does not matter", async () => {
    const program = fc.array(fc.tuple(fc.nat(50), fc.nat(50)), { maxLength: 12 });
    const cuts = fc.array(fc.nat(20), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(program, cuts, async (delays, cutsMs) => {
        const trace = async (advancesMs: readonly number[]) => {
          const clock = createTestClock();
          const lines: string[] = [];
          delays.forEach(([firstMs, nextMs], index) => {
            clock.setTimer(firstMs, () => {
              lines.push(`${index} first ${clock.monotonicMs()}`);
              clock.setTimer(nextMs, () => lines.push(`${index} next ${clock.monotonicMs()}`));
            });
          });
          for (const deltaMs of advancesMs) await clock.advance(deltaMs);
          return lines;
        };
        const whole = await trace([400]);
        expect(await trace([400])).toEqual(whole);
        expect(await trace([...cutsMs, 400])).toEqual(whole);
        expect(whole).toHaveLength(delays.length * 2);
      }),
      { numRuns: 60 },
    );
  });
});
