import { assert } from "../../../base/app-error.ts";
import type { StoreTime } from "../../bucket.ts";

/** One answer of the server: its `Date`, and when the question left and the answer came here. */
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

/** `Date` shows whole seconds, cut off. */
const resolutionMs = 1_000;
/** How far two machines' clocks may part in a millisecond; 200 ppm is a bad crystal. */
const drift = 0.0002;

/**
 * What the server's clock shows, by this machine's monotonic clock: an interval that every answer
 * narrows. It widens with time, and begins anew where an answer contradicts it (the server's clock
 * was set).
 */
export function createStoreClock(): StoreClock {
  /** The server's clock minus ours is between these two, as of `asOfMs`. */
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
      // Two front ends may leave one moment between them: to callers a point is an exact clock.
      const latestMs = Math.max(earliestMs + 1, Math.ceil(monotonicMs + high));
      return { earliestMs, latestMs };
    },
  };
}
