import { reportCache } from "../../base/cache-metrics.ts";
import type { Clock } from "../../base/clock.ts";
import type { Metrics } from "../../base/metrics.ts";
import { createSingleFlightCache } from "../../base/single-flight.ts";
import type { SiteSettings } from "../../campaign/index.ts";
import type { GateSettings, Queue } from "../../queue/index.ts";

/** A claim returns the actual settings of its gate, so a stale entry only delays work. */
const ttlMs = 30_000;
const sitesMax = 10_000;

export interface SiteSettingsOptions {
  readonly queue: Pick<Queue, "gate" | "setGate">;
  readonly clock: Clock;
  readonly metrics?: Metrics;
}

/** Caches the pace of hosts: every request of a visit needs it. */
export function createSiteSettings({ queue, clock, metrics }: SiteSettingsOptions): SiteSettings {
  const cache = createSingleFlightCache<string, GateSettings | undefined>({
    load: async (gate) => settingsOf(await queue.gate(gate)),
    clock,
    ttlMs,
    entriesMax: sitesMax,
    keeps: (settings) => settings !== undefined,
  });
  if (metrics) reportCache(metrics, "site_settings", cache);
  return {
    get: (gate) => cache.get(gate),
    forget: (gate) => cache.invalidate(gate, "outdated"),
    async set(gate, settings) {
      cache.invalidate(gate, "changed");
      cache.put(gate, settingsOf(await queue.setGate(gate, settings)), "changed");
    },
  };
}

const settingsOf = <T extends GateSettings | undefined>(gate: T) =>
  gate && { delayMs: gate.delayMs, limit: gate.limit };
