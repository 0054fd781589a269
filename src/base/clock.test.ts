import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { sleep, systemClock } from "./clock.ts";
import { createTestClock } from "./testing/test-clock.ts";

describe("sleep", () => {
  test("ends at its moment and not before", async () => {
    const clock = createTestClock();
    let isOver = false;
    const slept = sleep(clock, 100).then(() => (isOver = true));
    await clock.advance(99);
    expect(isOver).toBe(false);
    await clock.advance(1);
    expect(isOver).toBe(true);
    await slept;
  });

  test("an abort ends it at once, with the reason, and leaves no timer and no listener", async () => {
    const clock = createTestClock();
    const abort = new AbortController();
    const slept = sleep(clock, 100, abort.signal);
    const reason = new Error("shutting down");
    abort.abort(reason);
    await expect(slept).rejects.toMatchObject({ kind: "aborted", cause: reason });
    expect(clock.pendingTimers()).toBe(0);
    expect(getEventListeners(abort.signal, "abort")).toEqual([]);
  });

  test("with a signal that fired already it does not even set a timer", async () => {
    const clock = createTestClock();
    await expect(sleep(clock, 100, AbortSignal.abort())).rejects.toMatchObject({ kind: "aborted" });
    expect(clock.pendingTimers()).toBe(0);
  });

  test("that ended in time leaves no listener on a long-lived signal", async () => {
    const clock = createTestClock();
    const { signal } = new AbortController();
    const slept = sleep(clock, 100, signal);
    await clock.advance(100);
    await slept;
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

describe("the system clock", () => {
  test("never fires a timer before its moment, fractions of a millisecond included", async () => {
    const delaysMs = Array.from({ length: 60 }, (_, index) => index * 0.33);
    const earlyByMs = await Promise.all(
      delaysMs.map(async (delayMs) => {
        const dueMs = systemClock.monotonicMs() + delayMs;
        await sleep(systemClock, delayMs);
        return dueMs - systemClock.monotonicMs();
      }),
    );
    expect(earlyByMs.filter((early) => early > 0)).toEqual([]);
  });

  test("a delay beyond Node's longest neither fires at once nor draws a warning", async () => {
    let fired = 0;
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on("warning", onWarning);
    const timers = [2 ** 31, 2 ** 40, Infinity].map((delayMs) =>
      systemClock.setTimer(delayMs, () => fired++),
    );
    await sleep(systemClock, 20);
    for (const timer of timers) timer.cancel();
    process.off("warning", onWarning);
    expect([fired, warnings]).toEqual([0, []]);
  });

  test("a background timer does not keep the process alive, another does until cancelled", () => {
    const keptAlive = () =>
      process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
    const before = keptAlive();
    const background = systemClock.setTimer(60_000, () => {}, { background: true });
    expect(keptAlive()).toBe(before);
    const foreground = systemClock.setTimer(60_000, () => {});
    expect(keptAlive()).toBe(before + 1);
    foreground.cancel();
    foreground.cancel();
    expect(keptAlive()).toBe(before);
    background.cancel();
  });

  test("a cancelled timer does not fire", async () => {
    let fired = 0;
    systemClock.setTimer(1, () => fired++).cancel();
    await sleep(systemClock, 10);
    expect(fired).toBe(0);
  });

  test("a delay that is not a number is a bug, not a timer that fires at once", () => {
    expect(() => systemClock.setTimer(NaN, () => {})).toThrow("bug: a timer needs a delay");
  });
});
