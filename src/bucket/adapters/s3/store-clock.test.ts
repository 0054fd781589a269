import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createStoreClock } from "./store-clock.ts";

describe("the server's clock", () => {
  test("is unknown before the first answer", () => {
    expect(createStoreClock().at(5)).toBeUndefined();
  });

  test("always lies in the interval, which answers narrow", () => {
    const answer = fc.record({
      gapMs: fc.nat(5_000),
      thereMs: fc.nat(400),
      backMs: fc.nat(400),
    });
    fc.assert(
      fc.property(fc.nat(2_000_000), fc.array(answer, { minLength: 1 }), (offsetMs, answers) => {
        const clock = createStoreClock();
        let nowMs = 0;
        let widthMs = Infinity;
        for (const { gapMs, thereMs, backMs } of answers) {
          const sentMs = (nowMs += gapMs);
          const dateMs = Math.floor((nowMs + thereMs + offsetMs) / 1_000) * 1_000;
          nowMs += thereMs + backMs;
          clock.observe({ dateMs, sentMs, receivedMs: nowMs });
          const { earliestMs, latestMs } = clock.at(nowMs)!;
          expect(earliestMs).toBeLessThanOrEqual(nowMs + offsetMs);
          expect(latestMs).toBeGreaterThanOrEqual(nowMs + offsetMs);
          expect(latestMs - earliestMs).toBeLessThanOrEqual(widthMs + 4);
          widthMs = latestMs - earliestMs + (gapMs + 10_000) * 0.0004;
        }
      }),
    );
  });

  test("is never exact, also where two front ends leave one moment", () => {
    const clock = createStoreClock();
    clock.observe({ dateMs: 99_000, sentMs: 10, receivedMs: 10 });
    clock.observe({ dateMs: 100_000, sentMs: 10, receivedMs: 10 });
    expect(clock.at(10)).toEqual({ earliestMs: 100_000, latestMs: 100_001 });
  });

  test("starts again when the server's clock was set", () => {
    const clock = createStoreClock();
    clock.observe({ dateMs: 100_000, sentMs: 0, receivedMs: 10 });
    clock.observe({ dateMs: 5_000_000, sentMs: 20, receivedMs: 30 });
    expect(clock.at(30)).toEqual({ earliestMs: 5_000_000, latestMs: 5_001_010 });
  });
});
