import type { Trouble } from "./alert-book.ts";

/** A kind that says what its tasks bring: pages fetched, and what was found in them. */
export interface YieldReading {
  readonly kind: string;
  /** Tasks done, ever. */
  readonly done: number;
  /** What they brought, ever. */
  readonly yielded: number;
}

export interface YieldStallDetector {
  read(readings: readonly YieldReading[], nowMs: number): readonly Trouble[];
}

interface Known {
  yielded: number;
  /** Before the first task that brought nothing. */
  doneBefore: number;
  sinceMs: number | undefined;
}

/** Fewer may bring nothing by chance. */
export const fruitlessMin = 20;

/**
 * Work goes on and brings nothing: for `stallMs` tasks of a kind were done, twenty at least, and
 * not one of them yielded anything. Most likely a site or a source has changed.
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
        // Less than before: all processes were replaced, and counting starts again.
        if (yielded !== one.yielded || done < one.doneBefore) {
          Object.assign(one, { yielded, doneBefore: done, sinceMs: undefined });
        }
        const fruitless = done - one.doneBefore;
        if (fruitless > 0) one.sinceMs ??= nowMs;
        const forMs = nowMs - (one.sinceMs ?? nowMs);
        if (fruitless < fruitlessMin || forMs < stallMs()) return [];
        const what = `${fruitless} tasks were done and brought nothing`;
        return [{ name: "yield_stall" as const, of: "kind" as const, part: kind, forMs, what }];
      });
    },
  };
}
