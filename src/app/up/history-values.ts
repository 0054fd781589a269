import type { MetricsSnapshot, SeriesSnapshot } from "../../base/metrics.ts";
import type { QueueStats } from "../../queue/index.ts";

type Numbers = Readonly<Record<string, number>>;

/** The reasons why tasks wait, and how long earlier ones waited. */
export const queueGauges = ({ states, reasons, waits }: QueueStats): Numbers => ({
  tasksPending: states.pending,
  tasksRunning: states.running,
  ...Object.fromEntries(reasons.map(({ reason, count }) => [`waiting_${reason}`, count])),
  waitP50Ms: waits.p50Ms,
  waitP95Ms: waits.p95Ms,
  waitP99Ms: waits.p99Ms,
});

/** Over all worker processes of this node: slots, connections, limiter, caches. */
export function metricGauges(metrics: MetricsSnapshot): Numbers {
  const sum = sumIn(metrics);
  return {
    slotsActive: sum("forager_worker_slots", "active"),
    slotsIdle: sum("forager_worker_slots", "idle"),
    slotsWaiting: sum("forager_worker_slots", "waiting"),
    poolActive: sum("forager_queue_connections", "active"),
    poolIdle: sum("forager_queue_connections", "idle"),
    poolWaiting: sum("forager_queue_connections", "waiting"),
    limiterKeys: sum("forager_limiter_keys"),
    cacheEntries: sum("forager_cache_entries"),
    processBytes: sum("forager_process_memory_bytes", "resident"),
  };
}

export function metricCounters(metrics: MetricsSnapshot): Numbers {
  const sum = sumIn(metrics);
  return {
    tasksClaimed: sum("forager_tasks_claimed_total"),
    cacheHits: sum("forager_cache_requests_total", "hit"),
    cacheMisses: sum("forager_cache_requests_total", "miss"),
    cacheInvalidations: sum("forager_cache_invalidations_total"),
    callsSlow: sum("forager_queue_calls_slow_total"),
    callsFailed: sum("forager_queue_calls_failed_total"),
    fetchRequests: sum("forager_fetch_requests_total"),
  };
}

/** Sums all series of a metric, or those with this label value. */
const sumIn = (metrics: MetricsSnapshot) => (name: string, label?: string) =>
  seriesOf(metrics, name)
    .filter(({ values }) => label === undefined || values.includes(label))
    .reduce((total, { value }) => total + value, 0);

const seriesOf = (metrics: MetricsSnapshot, name: string): readonly SeriesSnapshot[] =>
  metrics.find((family) => family.name === name)?.series ?? [];

const callMetric = "forager_queue_call_duration_seconds";

/**
 * The duration of queue calls since the previous call: the upper bounds of the histogram buckets
 * that contain 50 %, 95 % and 99 % of them. Empty if there were no calls.
 */
export function createCallPercentiles(): (metrics: MetricsSnapshot) => Numbers {
  let before: readonly number[] = [];
  return (metrics) => {
    const family = metrics.find(({ name }) => name === callMetric);
    const bounds = family?.bounds ?? [];
    const all = (family?.series ?? []).reduce<readonly number[]>(
      (sums, { buckets = [] }) => buckets.map((count, at) => count + (sums[at] ?? 0)),
      [],
    );
    // The counts of a process that was replaced are missing, so a sum can become smaller.
    const grown = all.map((count, at) => Math.max(0, count - (before[at] ?? 0)));
    before = all;
    const total = grown.reduce((sum, count) => sum + count, 0);
    if (total === 0) return {};
    const boundOf = (share: number) => {
      let seen = 0;
      const at = grown.findIndex((count) => (seen += count) >= share * total);
      return 1_000 * (bounds[at] ?? bounds.at(-1) ?? 0);
    };
    return { callP50Ms: boundOf(0.5), callP95Ms: boundOf(0.95), callP99Ms: boundOf(0.99) };
  };
}
