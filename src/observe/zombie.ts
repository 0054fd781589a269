import type { Trouble } from "./alert-book.ts";

/** A worker process that reports itself as well. */
export interface WorkerReading {
  readonly worker: string;
  readonly pid: number | undefined;
  readonly kinds: readonly string[];
  readonly concurrency: number;
  readonly atWork: number;
  /** The total of attempts that it recorded. */
  readonly completed: number;
}

export interface ZombieDetector {
  read(
    workers: readonly WorkerReading[],
    claimableByKind: ReadonlyMap<string, number>,
    nowMs: number,
  ): readonly Trouble[];
}

interface Known {
  completed: number;
  /** Since then it always could have worked. */
  sinceMs: number | undefined;
}

/**
 * A zombie is a worker that sends heartbeats and completes nothing: for `stallMs` its kinds had
 * runnable work, it had a free slot, and it recorded no attempt. A worker whose slots are all taken
 * by long tasks is not a zombie, and neither is one whose kinds have nothing to do.
 */
export function createZombieDetector({
  stallMs,
}: {
  readonly stallMs: () => number;
}): ZombieDetector {
  let known = new Map<string, Known>();

  return {
    read(workers, claimableByKind, nowMs) {
      const before = known;
      known = new Map();
      return workers.flatMap(({ worker, pid, kinds, concurrency, atWork, completed }) => {
        const key = `${worker} ${pid}`; // a replaced process starts again
        const one = before.get(key) ?? { completed, sinceMs: undefined };
        known.set(key, one);
        const claimable = kinds.reduce((sum, kind) => sum + (claimableByKind.get(kind) ?? 0), 0);
        const couldWork = claimable > 0 && atWork < concurrency && completed === one.completed;
        one.completed = completed;
        one.sinceMs = couldWork ? (one.sinceMs ?? nowMs) : undefined;
        const forMs = nowMs - (one.sinceMs ?? nowMs);
        if (!couldWork || forMs < stallMs()) return [];
        return [{ name: "zombie" as const, of: "worker" as const, part: worker, forMs, claimable }];
      });
    },
  };
}
