import type { Counter, Family, Histogram, Metrics } from "../base/metrics.ts";
import { taskEnds, type TaskEnd } from "./tasks/kind-state.ts";

/** From a quarter of a millisecond to a minute. */
const callBounds = [0.00025, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30];
const taskBounds = [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];
export const slowCallMs = 1_000;

export interface KindMetrics {
  readonly started: Counter;
  readonly durations: Histogram;
  readonly ends: Readonly<Record<TaskEnd, Counter>>;
}

export interface WorkerMetrics {
  ofKind(kind: string): KindMetrics;
  /** For a kind that counts what its tasks produce. */
  yieldOf(kind: string): Counter;
  /** Counts a call to the queue, answered or not. */
  called(operation: string, elapsedMs: number, isOk: boolean): void;
  readonly claimed: Counter;
}

export const createEndedCounter = (metrics: Metrics): Family<Counter> =>
  metrics.counter({
    name: "forager_tasks_ended_total",
    help: "Attempts by result; lost ones recorded nothing.",
    labels: ["kind", "result"],
  });

/**
 * Names and meanings: docs/metrics.md. Labels are kinds and operations, never jobs, gates or keys.
 */
export function createWorkerMetrics(metrics: Metrics): WorkerMetrics {
  const started = metrics.counter({
    name: "forager_tasks_started_total",
    help: "Attempts that were started.",
    labels: ["kind"],
  });
  const ended = createEndedCounter(metrics);
  const durations = metrics.histogram({
    name: "forager_task_duration_seconds",
    help: "How long handlers took.",
    labels: ["kind"],
    bounds: taskBounds,
  });
  const yields = metrics.counter({
    name: "forager_task_yield_total",
    help: "Results of done tasks, in the unit of their kind.",
    labels: ["kind"],
  });
  const claimed = metrics.counter({
    name: "forager_tasks_claimed_total",
    help: "Tasks that were claimed.",
  });
  const calls = metrics.histogram({
    name: "forager_queue_call_duration_seconds",
    help: "Duration of calls to the queue, including the commit.",
    labels: ["operation"],
    bounds: callBounds,
  });
  const slow = metrics.counter({
    name: "forager_queue_calls_slow_total",
    help: "Calls to the queue that took longer than a second.",
    labels: ["operation"],
  });
  const failed = metrics.counter({
    name: "forager_queue_calls_failed_total",
    help: "Calls to the queue that failed; they are repeated.",
    labels: ["operation"],
  });
  return {
    ofKind: (kind) => ({
      started: started.of(kind),
      durations: durations.of(kind),
      ends: Object.fromEntries(taskEnds.map((end) => [end, ended.of(kind, end)])) as Record<
        TaskEnd,
        Counter
      >,
    }),
    yieldOf: (kind) => yields.of(kind),
    called(operation, elapsedMs, isOk) {
      calls.of(operation).observe(elapsedMs / 1_000);
      if (elapsedMs > slowCallMs) slow.of(operation).add(1);
      if (!isOk) failed.of(operation).add(1);
    },
    claimed: claimed.of(),
  };
}
