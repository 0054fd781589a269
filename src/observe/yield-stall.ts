import type { Trouble } from "./alert-book.ts";

/** A kind that reports what its tasks yield: pages fetched, and what was found in them. */
export interface YieldReading {
  readonly kind: string;
  /** Tasks done, in total. */
  readonly done: number;
  /** What they yielded, in total. */
  readonly yielded: number;
}

export interface YieldStallDetector {
  read(readings: readonly YieldReading[], nowMs: number): readonly Trouble[];
}

interface Known {
  yielded: number;
  /** The number of done tasks before the first one without yield. */
  doneBefore: number;
  sinceMs: number | undefined;
}

/** Fewer tasks may yield nothing by chance. */
export const fruitlessMin = 20;

/**
 * Detects work without yield: for `stallMs` at least twenty tasks of a kind were done, and none of
 * them yielded anything. Most likely a site or a source has changed.
 */
export function createYieldStallDetector({
  stallMs,
}: {
  readonly stallMs: () => number;
}): YieldStallDetector {
  const known = new Map<string, Known>();

  return {
    read(readings, nowMs) {
      return readings.flatMap(({ kind, done, yielded }) => {
        const one = known.get(kind) ?? { yielded, doneBefore: done, sinceMs: undefined };
        known.set(kind, one);
        // A smaller count: all processes were replaced, and counting starts again.
        if (yielded !== one.yielded || done < one.doneBefore) {
          Object.assign(one, { yielded, doneBefore: done, sinceMs: undefined });
        }
        const fruitless = done - one.doneBefore;
        if (fruitless > 0) one.sinceMs ??= nowMs;
        const forMs = nowMs - (one.sinceMs ?? nowMs);
        if (fruitless < fruitlessMin || forMs < stallMs()) return [];
        const what = `${fruitless} tasks were done and found nothing`;
        return [{ name: "yield_stall" as const, of: "kind" as const, part: kind, forMs, what }];
      });
    },
  };
}
