import { createTestClock, type TestClock } from "../../base/testing/test-clock.ts";
import type { StoreNow } from "../queue-store.ts";

/**
 * The time of one clause. A tested store reads `now` through its hook; only its timers may come
 * from `clock`. Both clocks stand still unless the clause moves them.
 */
export interface SuiteTime {
  readonly clock: TestClock;
  /** With fractions if time was moved by fractions. */
  readonly now: () => StoreNow;
  /** Moves both clocks. */
  readonly advance: (ms: number) => Promise<void>;
  /** Moves only the wall clock, in either direction. */
  readonly stepWall: (ms: number) => void;
}

/** A round number, so that failures are easy to read. */
const startMs = 1_800_000_000_000;
/**
 * The store's own clock starts elsewhere, so that comparing it with the wall clock shows as a
 * failure.
 */
const aheadMs = 5_000;

export function createSuiteTime(): SuiteTime {
  const clock = createTestClock(startMs);
  let steppedMs = 0;
  return {
    clock,
    now: () => ({
      ms: startMs + aheadMs + clock.monotonicMs(),
      wallMs: startMs + steppedMs + clock.monotonicMs(),
    }),
    advance: (ms) => clock.advance(ms),
    stepWall(ms) {
      clock.step(ms);
      steppedMs += ms;
    },
  };
}
