import type { Trouble } from "./alert-book.ts";

/** A part of the work that is watched separately. */
export interface PartReading {
  readonly of: "kind" | "shard";
  readonly part: string;
  /** Tasks that could run and only lack a worker. */
  readonly claimable: number;
  /** The total so far; a difference shows whether anything was completed. */
  readonly completed: number;
  /** How long the oldest runnable task could have run; 0 if there is none. */
  readonly oldestMs: number;
}

export interface StallDetector {
  /** The current problems. A part that is left out is forgotten. */
  read(parts: readonly PartReading[], nowMs: number): readonly Trouble[];
}

export interface StallOptions {
  readonly stallMs: () => number;
  /** A runnable task that is this old is stuck, even if others are completed. */
  readonly stuckMs: number;
}

interface Known {
  completed: number;
  /** At the last reading. */
  hasWork: boolean;
  /** Since then something could always run, and nothing was completed. */
  sinceMs: number;
  /** Since then there was always a task that is too old. */
  oldSinceMs: number | undefined;
}

/**
 * An old task that just became due (a retry, or one planned long ago) is normally claimed within
 * moments. So it must be seen for this share of `stuckMs` before it counts as stuck.
 */
const stuckSeenShare = 0.1;

/**
 * A part is stalled if it has runnable work and has completed nothing for `stallMs`. Work that
 * waits for its gate, its due time, its job's limit or a paused job is not claimable, so a polite
 * crawl of one slow host is never stalled.
 */
export function createStallDetector({ stallMs, stuckMs }: StallOptions): StallDetector {
  let known = new Map<string, Known>();

  function readOne(reading: PartReading, one: Known, nowMs: number): readonly Trouble[] {
    const { of, part, claimable, completed, oldestMs } = reading;
    // Counters decrease when finished tasks are purged: that is neither a completion nor a stall.
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
