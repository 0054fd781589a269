import type { Clock } from "../base/clock.ts";
import { createKeyedLimiter, type KeyedLimiter } from "../base/keyed-limiter.ts";
import type { Counter, Histogram } from "../base/metrics.ts";
import type { Handler } from "./handler.ts";
import type { TaskInHand } from "./task-in-hand.ts";
import { createTimeouts, type Timeouts } from "./timeouts.ts";
import type { WorkerMetrics } from "./worker-metrics.ts";

/** One kind in one worker: its handler, and what is kept about it. */
export interface KindState {
  readonly handler: Handler;
  readonly timeouts: Timeouts;
  readonly caps: KeyedLimiter | undefined;
  readonly started: Counter;
  readonly durations: Histogram;
  /** Mean length of recent attempts; what an unknown kind takes until it was seen. */
  meanMs: number;
  note(end: TaskEnd): void;
  count(end: TaskEnd): number;
  /** All but those that were given back or lost. */
  recorded(): number;
}

/** How a task left the worker. "lost": nothing was recorded, another has it or will. */
export type TaskEnd = "done" | "skip" | "retry" | "fail" | "released" | "lost";
export const taskEnds: readonly TaskEnd[] = ["done", "skip", "retry", "fail", "released", "lost"];

const meanMsUnknown = 250;

export interface KindOptions {
  readonly clock: Clock;
  readonly metrics: WorkerMetrics;
  readonly onTimeout: (task: TaskInHand) => void;
}

export function createKindState(handler: Handler<never>, options: KindOptions): KindState {
  const { clock, metrics, onTimeout } = options;
  const { cap, timeoutMs, kind } = handler;
  const counters = metrics.ofKind(kind);
  const counts: Record<TaskEnd, number> = {
    done: 0,
    skip: 0,
    retry: 0,
    fail: 0,
    released: 0,
    lost: 0,
  };
  return {
    handler,
    timeouts: createTimeouts(clock, timeoutMs, onTimeout),
    caps: cap && createKeyedLimiter({ limit: cap.limit, keysMax: 10_000, idleMs: 600_000, clock }),
    started: counters.started,
    durations: counters.durations,
    meanMs: meanMsUnknown,
    note(end) {
      counts[end] += 1;
      counters.ends[end].add(1);
    },
    count: (end) => counts[end],
    recorded: () => counts.done + counts.skip + counts.retry + counts.fail,
  };
}
