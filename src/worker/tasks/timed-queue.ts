import type { Clock } from "../../base/clock.ts";
import type { Kinds, Queue } from "../../queue/index.ts";
import type { WorkerMetrics } from "../worker-metrics.ts";

/** The part of a queue that a worker uses, whatever its kinds. */
export type WorkerQueue<K extends Kinds = Kinds> = Pick<
  Queue<K>,
  | "claim"
  | "extend"
  | "finish"
  | "release"
  | "sweep"
  | "setGate"
  | "block"
  | "archive"
  | "forgetKeys"
  | "now"
  | "wakeInMs"
  | "watch"
  | "netMs"
  | "stats"
>;

export interface TimedQueue extends WorkerQueue {
  /** The age of the oldest call without an answer; 0 if all calls were answered. */
  oldestCallMs(): number;
}

/** The same queue; measures the time of each call. */
export function createTimedQueue(
  queue: WorkerQueue,
  metrics: WorkerMetrics,
  clock: Clock,
): TimedQueue {
  const open = new Set<{ readonly startMs: number }>(); // oldest first
  const measured = async <Answer>(operation: string, call: Promise<Answer>): Promise<Answer> => {
    const startMs = clock.monotonicMs();
    const one = { startMs };
    open.add(one);
    let isOk = false;
    try {
      const answer = await call;
      isOk = true;
      return answer;
    } finally {
      open.delete(one);
      metrics.called(operation, clock.monotonicMs() - startMs, isOk);
    }
  };
  return {
    claim: (request) => measured("claim", queue.claim(request)),
    extend: (leases, leaseMs) => measured("extend", queue.extend(leases, leaseMs)),
    finish: (finishes) => measured("finish", queue.finish(finishes)),
    release: (releases) => measured("release", queue.release(releases)),
    sweep: () => measured("sweep", queue.sweep()),
    setGate: (gate, settings) => measured("setGate", queue.setGate(gate, settings)),
    block: (gate, forMs) => measured("block", queue.block(gate, forMs)),
    archive: (filter, onProgress) => queue.archive(filter, onProgress),
    forgetKeys: (filter, onProgress) => queue.forgetKeys(filter, onProgress),
    now: () => queue.now(),
    wakeInMs: (kinds, worker) => measured("wakeInMs", queue.wakeInMs(kinds, worker)),
    watch: (listener) => queue.watch(listener),
    ...(queue.netMs !== undefined && { netMs: queue.netMs }),
    stats: () => measured("stats", queue.stats()),
    oldestCallMs() {
      const [oldest] = open;
      return oldest ? clock.monotonicMs() - oldest.startMs : 0;
    },
  };
}
