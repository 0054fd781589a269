import type { Clock } from "../../base/clock.ts";
import { createKeyedLimiter, type KeyedLimiter } from "../../base/keyed-limiter.ts";
import type { Counter, Histogram } from "../../base/metrics.ts";
import type { Finished } from "../../queue/index.ts";
import { PermanentError } from "../failure.ts";
import type { Handler } from "../handler.ts";
import type { InFlightTask } from "./in-flight-task.ts";
import { createTimeouts, type Timeouts } from "./timeouts.ts";
import type { WorkerMetrics } from "../worker-metrics.ts";

/** The state of one kind in one worker: its handler and its statistics. */
export interface KindState {
  readonly handler: Handler;
  readonly timeouts: Timeouts;
  readonly caps: KeyedLimiter | undefined;
  readonly started: Counter;
  readonly durations: Histogram;
  /** The mean duration of recent attempts; a default until there are some. */
  meanMs: number;
  /** Counts what a task that is done has produced, if the kind counts that. */
  brought(result: unknown): void;
  note(end: TaskEnd): void;
  count(end: TaskEnd): number;
  /** The number of attempts that the queue recorded: not those that were released or lost. */
  recorded(): number;
}

/** How a task ended at this worker, according to the queue. "lost": nothing was recorded. */
export type TaskEnd = Finished["status"] | "released";
export const taskEnds: readonly TaskEnd[] = [
  "done",
  "skipped",
  "retried",
  "failed",
  "released",
  "lost",
];

const meanMsUnknown = 250;

export interface KindOptions {
  readonly clock: Clock;
  readonly metrics: WorkerMetrics;
  readonly inFlight: () => Iterable<InFlightTask>;
  readonly onTimeout: (task: InFlightTask) => void;
}

export function createKindState(handler: Handler<never>, options: KindOptions): KindState {
  const { clock, metrics, inFlight, onTimeout } = options;
  const { cap, timeoutMs, kind, yields } = handler;
  const counters = metrics.ofKind(kind);
  const yielded = yields && metrics.yieldOf(kind);
  const counts: Record<TaskEnd, number> = {
    done: 0,
    skipped: 0,
    retried: 0,
    failed: 0,
    released: 0,
    lost: 0,
  };
  return {
    handler,
    timeouts: createTimeouts({ clock, timeoutMs, inFlight, onTimeout }),
    caps: cap && createKeyedLimiter({ limit: cap.limit, keysMax: 10_000, idleMs: 600_000, clock }),
    started: counters.started,
    durations: counters.durations,
    meanMs: meanMsUnknown,
    brought(result) {
      if (!yields || !yielded) return;
      const count = yields(result);
      if (!(count >= 0 && count < Infinity)) {
        throw new PermanentError(`yields() says ${count}: return how much the task produced`);
      }
      yielded.add(count);
    },
    note(end) {
      counts[end] += 1;
      counters.ends[end].add(1);
    },
    count: (end) => counts[end],
    recorded: () => counts.done + counts.skipped + counts.retried + counts.failed,
  };
}
