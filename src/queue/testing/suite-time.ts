import { createTestClock, type TestClock } from "../../base/testing/test-clock.ts";
import type { StoreNow } from "../queue-store.ts";

/**
 * The time of one clause. A store under test reads `now` through its one hook; its timers, and
 * nothing else, may come from `clock`. Both clocks stand still unless the clause moves them.
 */
export interface SuiteTime {
  readonly clock: TestClock;
  /** With fractions, where time passed by fractions. */
  readonly now: () => StoreNow;
  /** Time passes: both clocks move. */
  readonly advance: (ms: number) => Promise<void>;
  /** The wall clock alone jumps, in either direction. */
  readonly stepWall: (ms: number) => void;
}

/** A round moment, so that failures are easy to read. */
const startMs = 1_800_000_000_000;
/** The store's own clock is anchored elsewhere: comparing it with the wall clock must show. */
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
