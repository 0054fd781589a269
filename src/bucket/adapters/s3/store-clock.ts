import { assert } from "../../../base/app-error.ts";
import type { StoreTime } from "../../bucket.ts";

/** One answer of the server: its `Date`, and when the request was sent and the answer arrived. */
export interface ClockReading {
  readonly dateMs: number;
  readonly sentMs: number;
  readonly receivedMs: number;
}

export interface StoreClock {
  observe(reading: ClockReading): void;
  /** Undefined until the first answer. */
  at(monotonicMs: number): StoreTime | undefined;
}

/** The resolution of `Date`; fractions are cut off. */
const resolutionMs = 1_000;
/** How far the clocks of two machines may diverge per millisecond; 200 ppm is a bad crystal. */
const drift = 0.0002;

/**
 * Estimates the server's clock from this machine's monotonic clock, as an interval. Every answer
 * narrows the interval; it widens with time. If an answer contradicts it, because the server's
 * clock was set, the estimate starts again from that answer.
 */
export function createStoreClock(): StoreClock {
  /** The server's clock minus ours is between `low` and `high`, as of `asOfMs`. */
  let known: { low: number; high: number; asOfMs: number } | undefined;
  const widened = (monotonicMs: number) => {
    assert(known, "there was no answer yet");
    const slack = Math.max(0, monotonicMs - known.asOfMs) * drift;
    return { low: known.low - slack, high: known.high + slack };
  };
  return {
    observe({ dateMs, sentMs, receivedMs }) {
      const low = dateMs - receivedMs;
      const high = dateMs + resolutionMs - sentMs;
      const before = known ? widened(receivedMs) : { low, high };
      const both = { low: Math.max(low, before.low), high: Math.min(high, before.high) };
      known = { ...(both.low <= both.high ? both : { low, high }), asOfMs: receivedMs };
    },
    at(monotonicMs) {
      if (!known) return undefined;
      const { low, high } = widened(monotonicMs);
      const earliestMs = Math.floor(monotonicMs + low);
      // Two front ends may leave an interval of length 0, which callers would take for an exact
      // clock.
      const latestMs = Math.max(earliestMs + 1, Math.ceil(monotonicMs + high));
      return { earliestMs, latestMs };
    },
  };
}
