import type { Trouble } from "./alert-book.ts";

/** A part of the work that is looked at by itself. */
export interface PartReading {
  readonly of: "kind" | "shard";
  readonly part: string;
  /** Tasks that nothing but the lack of workers keeps from running. */
  readonly claimable: number;
  /** Ever, so that a difference says whether anything was completed. */
  readonly completed: number;
  /** For how long the oldest task that can run could have; 0 when there is none. */
  readonly oldestMs: number;
}

export interface StallDetector {
  /** What is the matter now. A part that is left out is forgotten. */
  read(parts: readonly PartReading[], nowMs: number): readonly Trouble[];
}

export interface StallOptions {
  readonly stallMs: () => number;
  /** A task that could run for so long is stuck, though others are completed. */
  readonly stuckMs: number;
}

interface Known {
  completed: number;
  /** At the last reading. */
  hasWork: boolean;
  /** Since then there was always something that could run, and nothing was completed. */
  sinceMs: number;
  /** Since then there was always a task that is too old. */
  oldSinceMs: number | undefined;
}

/**
 * An old task that comes due (a retry, one that was planned long ago) is taken within moments where
 * all is well: so it must be seen for a while before it is called stuck.
 */
const stuckSeenShare = 0.1;

/**
 * A part is stalled when it could go on and has completed nothing for `stallMs`. Work that waits
 * for its gates, its moment, its job's cap or a paused job is not claimable, so that a polite
 * crawl of one slow host never is one.
 */
export function createStallDetector({ stallMs, stuckMs }: StallOptions): StallDetector {
  let known = new Map<string, Known>();

  function readOne(reading: PartReading, one: Known, nowMs: number): readonly Trouble[] {
    const { of, part, claimable, completed, oldestMs } = reading;
    // Counters go down when finished tasks are purged: that is no completion, and no stall either.
    if (!one.hasWork || completed !== one.completed) one.sinceMs = nowMs;
    one.completed = completed;
    one.hasWork = claimable > 0;
    const isOld = claimable > 0 && oldestMs >= stuckMs;
    one.oldSinceMs = isOld ? (one.oldSinceMs ?? nowMs) : undefined;
    const forMs = nowMs - one.sinceMs;
    const isStalled = claimable > 0 && forMs >= stallMs();
    const isStuck =
      one.oldSinceMs !== undefined && nowMs - one.oldSinceMs >= stuckMs * stuckSeenShare;
    return [
      ...(isStalled ? [{ name: "stall" as const, of, part, forMs, claimable }] : []),
      ...(isStuck ? [{ name: "stuck" as const, of, part, forMs: oldestMs, claimable }] : []),
    ];
  }

  return {
    read(readings, nowMs) {
      const before = known;
      known = new Map();
      return readings.flatMap((reading) => {
        const key = `${reading.of} ${reading.part}`;
        const { completed } = reading;
        const fresh = { completed, hasWork: false, sinceMs: nowMs, oldSinceMs: undefined };
        const one = before.get(key) ?? fresh;
        known.set(key, one);
        return readOne(reading, one, nowMs);
      });
    },
  };
}
