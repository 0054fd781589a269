import { reportCache } from "../../base/cache-metrics.ts";
import type { Clock } from "../../base/clock.ts";
import type { Metrics } from "../../base/metrics.ts";
import { createSingleFlightCache } from "../../base/single-flight.ts";
import { staleKeptMs, type RobotsCache, type RobotsNote } from "./read-robots.ts";

export interface MemoryRobotsCacheOptions {
  readonly clock: Clock;
  /** Loads a note that this process does not have. Absent: there is no other source. */
  readonly load?: (origin: string) => Promise<RobotsNote | undefined>;
  readonly originsMax?: number;
  readonly metrics?: Metrics;
}

/** Notes of this process. Callers that ask for one origin at the same time share one `load`. */
export function createMemoryRobotsCache(options: MemoryRobotsCacheOptions): RobotsCache {
  const { clock, load = async () => undefined, originsMax = 10_000, metrics } = options;
  const cache = createSingleFlightCache<string, RobotsNote | undefined>({
    load,
    clock,
    ttlMs: staleKeptMs,
    entriesMax: originsMax,
    keeps: (note) => note !== undefined,
  });
  if (metrics) reportCache(metrics, "robots", cache);
  return {
    get: (origin) => cache.get(origin),
    put: async (origin, note) => cache.put(origin, note, "changed"),
  };
}
