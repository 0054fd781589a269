import { reportCache } from "../../base/cache-metrics.ts";
import type { Clock } from "../../base/clock.ts";
import type { Metrics } from "../../base/metrics.ts";
import { createSingleFlightCache } from "../../base/single-flight.ts";
import type { Campaign, CampaignFolder } from "../../campaign/index.ts";

/** A worker notices a changed campaign within this time. */
const ttlMs = 2_000;
const campaignsMax = 1_000;

export interface CampaignLookupOptions {
  readonly folder: Pick<CampaignFolder, "load">;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** Caches the configuration: every task of a campaign needs it. */
export function createCampaignLookup(
  options: CampaignLookupOptions,
): (name: string) => Promise<Campaign> {
  const { folder, clock, metrics } = options;
  const cache = createSingleFlightCache<string, Campaign>({
    load: (name) => folder.load(name),
    clock,
    ttlMs,
    entriesMax: campaignsMax,
  });
  reportCache(metrics, "campaigns", cache);
  return (name) => cache.get(name);
}
