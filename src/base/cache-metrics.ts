import type { Counter, Family, Gauge, Metrics } from "./metrics.ts";
import type { SingleFlightCache } from "./single-flight.ts";

/** Metrics that all caches of a process share. The label `cache` names the cache. */
export interface CacheMetrics {
  readonly requests: Family<Counter>;
  readonly invalidations: Family<Counter>;
  readonly entries: Family<Gauge>;
}

const known = new WeakMap<Metrics, CacheMetrics>();

export function cacheMetrics(metrics: Metrics): CacheMetrics {
  const before = known.get(metrics);
  if (before) return before;
  const made: CacheMetrics = {
    requests: metrics.counter({
      name: "forager_cache_requests_total",
      help: "Look-ups in caches of this process.",
      labels: ["cache", "result"],
    }),
    invalidations: metrics.counter({
      name: "forager_cache_invalidations_total",
      help: "Entries removed from caches of this process, by reason.",
      labels: ["cache", "reason"],
    }),
    entries: metrics.gauge({
      name: "forager_cache_entries",
      help: "Entries in caches of this process.",
      labels: ["cache"],
    }),
  };
  known.set(metrics, made);
  return made;
}

/** Updates the metrics from a cache's own counters at each snapshot. */
export function reportCache(
  metrics: Metrics,
  name: string,
  cache: Pick<SingleFlightCache<never, unknown>, "metrics">,
): void {
  const { requests, invalidations, entries } = cacheMetrics(metrics);
  const reported = new Map<string, number>();
  const addNew = (counter: Counter, key: string, total: number) => {
    counter.add(total - (reported.get(key) ?? 0));
    reported.set(key, total);
  };
  metrics.onSnapshot(() => {
    const { hits, misses, size, invalidationsByReason } = cache.metrics();
    addNew(requests.of(name, "hit"), "hit", hits);
    addNew(requests.of(name, "miss"), "miss", misses);
    for (const [reason, count] of Object.entries(invalidationsByReason)) {
      addNew(invalidations.of(name, reason), `invalidated ${reason}`, count);
    }
    entries.of(name).set(size);
  });
}
