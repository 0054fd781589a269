import type { Clock } from "../../base/clock.ts";
import { silentLogger } from "../../base/log/logger.ts";
import {
  createPlaceCounter,
  estimateCampaign,
  planTiles,
  readEstimate,
  readWitnesses,
  writeEstimate,
  type CampaignEstimate,
  type PastVisits,
} from "../../campaign/index.ts";
import type { Paths, Settings } from "../../config/index.ts";
import type { NodeReadApi } from "../../node/index.ts";
import { isFleetBucketCharged } from "../bucket/fleet-bucket.ts";
import { readUsage } from "../bucket/usage-record.ts";
import { parsePools } from "../work/pools.ts";
import { allCompanies } from "./all-companies.ts";
import { planCampaign, type CampaignPlan, type PlanCampaignOptions } from "./plan-campaign.ts";

export interface MakeEstimateOptions extends PlanCampaignOptions {
  readonly paths: Paths;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly reader: Pick<NodeReadApi, "ledger" | "records">;
  /** True if it is stored with the campaign. */
  readonly isKept: boolean;
}

export interface MadeEstimate {
  readonly plan: CampaignPlan;
  readonly estimate: CampaignEstimate;
}

/**
 * Estimates a campaign from its plan, the available snapshots and the visits so far. The estimate
 * is stored as `campaigns/<name>/estimate.json`, and the report compares it with the actual
 * numbers. Once work has begun it is replaced only if the plan has changed, because an estimate
 * made afterwards would prove nothing.
 */
export async function makeEstimate(options: MakeEstimateOptions): Promise<MadeEstimate> {
  const { campaign, settings, paths, clock, isKept } = options;
  const counter = createPlaceCounter(campaign);
  const plan = await planCampaign({
    ...options,
    onMatch: (place, facts) => counter.add(place, facts),
  });
  const estimate = estimateCampaign({
    campaign,
    nowMs: clock.nowMs(),
    tiles: plan.tiles,
    phrases: plan.survey.phrases,
    counts: await counter.result(options.reader.ledger),
    lookedShare: plan.lookedShare,
    knownTiles: plan.knownTiles,
    tilesToAsk: plan.tilesToAsk,
    delayMs: settings.crawl.delayMs,
    slots: slotsOf(settings),
    past: await readPastVisits(options),
    isCharged: {
      bucket: isFleetBucketCharged({ settings, paths }),
      queue: settings.queue.url.startsWith("s3:"),
    },
  });
  if (isKept) await keep(options, estimate);
  return { plan, estimate };
}

async function keep(options: MakeEstimateOptions, estimate: CampaignEstimate): Promise<void> {
  const { campaign, paths, reader } = options;
  const kept = await readEstimate(paths, campaign.name);
  if (kept?.plan === estimate.plan) {
    const tiles = planTiles(campaign).map(({ tile }) => tile);
    const witnesses = await readWitnesses(reader.ledger, tiles, { campaign });
    const hasBegun = [...witnesses.values()].some((ofTile) =>
      [...ofTile.values()].some(({ at }) => at > kept.at),
    );
    if (hasBegun) return;
  }
  await writeEstimate(paths, estimate);
}

/** The slots of all pools, without those that a scaler may add. */
const slotsOf = ({ work }: Pick<Settings, "work">): number =>
  parsePools(work.pools).reduce(
    (sum, { processes, concurrency }) =>
      sum + processes * (typeof concurrency === "number" ? concurrency : concurrency.min),
    0,
  );

/** Enough for an average. */
const pastVisitsMax = 5_000;

async function readPastVisits({ reader, paths, clock, signal }: MakeEstimateOptions) {
  const past = { visits: 0, requests: 0, bytes: 0, visitsWithBytes: 0 };
  let firstDay = "9999-12-31";
  for await (const page of allCompanies(reader.records, { signal })) {
    for (const { visit } of page) {
      if (visit?.requests === undefined) continue;
      past.visits += 1;
      past.requests += visit.requests;
      if (visit.at.slice(0, 10) < firstDay) firstDay = visit.at.slice(0, 10);
      if (visit.bytes === undefined) continue;
      past.visitsWithBytes += 1;
      past.bytes += visit.bytes;
    }
    if (past.visits >= pastVisitsMax) break;
  }
  const rows = await readUsage(firstDay, { paths, clock, log: silentLogger });
  const dollars = rows.reduce((sum, row) => sum + row.dollars, 0);
  return {
    ...past,
    // If the loop ended early, the cost is that of more visits than were counted.
    bucketDollars: rows.length > 0 && past.visits < pastVisitsMax ? dollars : undefined,
  } satisfies PastVisits;
}
