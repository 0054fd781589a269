import { createMetrics, type Metrics, type MetricsSnapshot } from "../base/metrics.ts";
import type { Connections, QueueStats } from "../queue/index.ts";

/**
 * Connections of this process to the queue's server, if there is one. Values of processes are added
 * up.
 */
export function registerConnectionMetrics(
  metrics: Metrics,
  read: () => Connections | undefined,
): void {
  const connections = metrics.gauge({
    name: "forager_queue_connections",
    help: "Connections with the queue's server by state, and calls that wait for one.",
    labels: ["state"],
  });
  metrics.onSnapshot(() => {
    const found = read();
    if (!found) return;
    for (const state of ["max", "active", "idle", "waiting"] as const) {
      connections.of(state).set(found[state]);
    }
  });
}

/** The statistics of the queue in the form of metrics. */
export function queueMetrics(stats: QueueStats): MetricsSnapshot {
  const metrics = createMetrics();
  const gauge = (name: string, help: string, labels: readonly string[] = []) =>
    metrics.gauge({ name, help, labels });

  const tasks = gauge("forager_queue_tasks", "Tasks of the queue by kind and state.", [
    "kind",
    "state",
  ]);
  const claimable = gauge(
    "forager_queue_claimable_tasks",
    "Tasks that could run now and only wait for a free worker.",
    ["kind"],
  );
  const waits = gauge(
    "forager_queue_wait_seconds",
    "How long claimed tasks had waited, by percentile, since the queue was created.",
    ["kind", "percentile"],
  );
  for (const kind of stats.kinds) {
    for (const state of ["pending", "running", "done", "skipped", "failed"] as const) {
      tasks.of(kind.kind, state).set(kind[state]);
    }
    claimable.of(kind.kind).set(kind.claimable);
    waits.of(kind.kind, "50").set(kind.waits.p50Ms / 1_000);
    waits.of(kind.kind, "95").set(kind.waits.p95Ms / 1_000);
    waits.of(kind.kind, "99").set(kind.waits.p99Ms / 1_000);
  }
  const waiting = gauge("forager_queue_waiting_tasks", "Pending tasks by what they wait for.", [
    "reason",
  ]);
  const oldest = gauge(
    "forager_queue_oldest_waiting_seconds",
    "Age of the oldest pending task by what it waits for.",
    ["reason"],
  );
  for (const { reason, count, oldestAgeMs } of stats.reasons) {
    waiting.of(reason).set(count);
    oldest.of(reason).set(count > 0 ? oldestAgeMs / 1_000 : 0);
  }
  const jobs = gauge("forager_queue_jobs", "Jobs by state.", ["state"]);
  for (const state of ["open", "paused", "ended"] as const) jobs.of(state).set(stats.jobs[state]);
  gauge("forager_queue_gates", "Gates that the queue knows.").of().set(stats.gates);
  const raises = metrics.counter({
    name: "forager_queue_priority_updates_total",
    help: "Raises of priorities that changed something, and that did not.",
    labels: ["result"],
  });
  raises.of("raised").add(stats.raises.raised);
  raises.of("unchanged").add(stats.raises.unchanged);
  return metrics.snapshot();
}
