import type { Clock } from "../../base/clock.ts";
import type { WorkerQueue } from "./timed-queue.ts";

/**
 * Kinds whose tasks this worker released because its node lacks something that they need. The
 * worker claims none of them for a while, so that other workers get them and it does not claim them
 * again and again.
 */
export interface RestingKinds {
  /** The queue without the tasks of kinds that rest. */
  readonly queue: WorkerQueue;
  rest(kind: string): void;
}

const restMs = 15_000;

/** If the worker drains, a resting kind counts as having no tasks left. */
export function createRestingKinds(
  queue: WorkerQueue,
  { clock, isDraining }: { readonly clock: Clock; readonly isDraining: boolean },
): RestingKinds {
  const untilMs = new Map<string, number>();
  const restLeftMs = (kind: string) => (untilMs.get(kind) ?? -Infinity) - clock.monotonicMs();
  const awake = <Kind extends string>(kinds: readonly Kind[]) =>
    untilMs.size === 0 ? kinds : kinds.filter((kind) => restLeftMs(kind) <= 0);
  return {
    rest: (kind) => void untilMs.set(kind, clock.monotonicMs() + restMs),
    queue: {
      ...queue,
      async claim(request) {
        const kinds = awake(request.kinds);
        return kinds.length === 0
          ? { leases: [], hasSuspect: false }
          : await queue.claim({ ...request, kinds });
      },
      async wakeInMs(kinds, worker) {
        const now = awake(kinds);
        const inMs = now.length === 0 ? undefined : await queue.wakeInMs(now, worker);
        if (isDraining || now.length === kinds.length) return inMs;
        const rests = kinds.map(restLeftMs).filter((leftMs) => leftMs > 0);
        return Math.min(inMs ?? Infinity, ...rests);
      },
    },
  };
}
