import { missingEmailOf, missingEmailText, placesOf, type Company } from "../../records/index.ts";
import { attributionsOf } from "../../sources/index.ts";
import type { Campaign } from "../campaign.ts";
import { countCells, createCells, looksOf } from "../coverage/coverage.ts";
import { compareEstimate } from "../estimate/compare-estimate.ts";
import type { CampaignEstimate } from "../estimate/estimate-schema.ts";
import { planHash } from "../estimate/estimate.ts";
import { planTiles, type Target } from "../plan.ts";
import { witnessOf, type Witnesses } from "../witness.ts";
import { createEmptyTiles } from "./empty-tiles.ts";
import { createFieldCounts } from "./field-coverage.ts";
import { createFunnels, type Funnels } from "./funnels.ts";
import { membershipOf } from "./membership.ts";
import type { CampaignReport } from "./report-schema.ts";

export interface CampaignReportInput {
  readonly campaign: Campaign;
  /** `planTargets(campaign)`: all counts of tiles are based on it. */
  readonly targets: readonly Target[];
  /** `readWitnesses` for the tiles of the plan. */
  readonly witnesses: ReadonlyMap<string, Witnesses>;
  /** All companies, in pages. The report itself decides which of them belong to the campaign. */
  readonly companies: AsyncIterable<readonly Company[]> | Iterable<readonly Company[]>;
  readonly nowMs: number;
  /** Whether a source can have any place in a tile; absent if unknown. */
  readonly mayHave?: (target: Target) => boolean;
  /** Whether the search of a target has failed. */
  readonly hasFailed?: (target: Target) => boolean;
  readonly tasks?: CampaignReport["tasks"];
  /**
   * Requests that the queue has counted for the campaign's job, including visits that have not
   * ended.
   */
  readonly requests?: number;
  /** Places that the campaign's sources mark as permanently closed. */
  readonly closedPlaces?: number;
  /** The stored estimate of the campaign. */
  readonly estimate?: CampaignEstimate | undefined;
  /**
   * How much of the budget is spent, given the number of companies. Undefined if there is no
   * budget.
   */
  readonly budget?: (companies: number) => Promise<CampaignReport["budget"]>;
  /** The bucket requests since the campaign's first find. */
  readonly bucket?: (sinceDay: string) => Promise<BucketCost | undefined>;
}

export interface BucketCost {
  readonly requests: number;
  readonly dollars: number;
}

/** A pure computation: it sends no requests and writes nothing. */
export async function buildCampaignReport(input: CampaignReportInput): Promise<CampaignReport> {
  const { campaign, targets, witnesses, nowMs } = input;
  const membership = membershipOf(campaign);
  const funnels = createFunnels(sourceOfName(targets, witnesses));
  const looks = countLooks(input, funnels);
  const fields = createFieldCounts();
  const reasons = createReasons();
  const visits = createVisitAges(nowMs);
  const placeSources = new Set<string>();
  const filtered = new Map<string, number>();
  let [excluded, firstAt, lastAt] = [0, noMoment, ""];
  const spent = { requests: 0, bytes: 0 };
  for await (const page of input.companies) {
    for (const company of page) {
      const finds = membership.findsOf(company);
      if (finds.length === 0) continue;
      if (membership.isExcluded(company)) {
        excluded += 1;
        continue;
      }
      const filter = membership.filterOf(company);
      if (filter !== undefined) {
        filtered.set(filter, (filtered.get(filter) ?? 0) + 1);
        continue;
      }
      funnels.add(company, finds);
      fields.add(company);
      reasons.add(company);
      visits.add(company);
      spent.requests += company.visit?.requests ?? 0;
      spent.bytes += company.visit?.bytes ?? 0;
      if (company.visit && company.visit.at > lastAt) lastAt = company.visit.at;
      for (const place of placesOf(company))
        placeSources.add(place.slice(0, place.indexOf("/") + 1));
      for (const { at } of finds) if (at !== undefined && at < firstAt) firstAt = at;
    }
  }
  const funnel = funnels.all();
  const bucket = await input.bucket?.(firstAt.slice(0, 10));
  const hours = Math.max(0, (Date.parse(lastAt) - Date.parse(firstAt)) / 3_600_000) || 0;
  // Visits of other jobs are counted only in the companies, running visits only in the job.
  const requests = Math.max(spent.requests, input.requests ?? 0);
  const cost = costOf(funnel.withEmail, { ...spent, requests, hours }, bucket);
  const budget = await input.budget?.(funnel.companies);
  const estimate = input.estimate && {
    estimate: compareEstimate({
      estimate: input.estimate,
      actual: actualFigures(looks.tiles, funnel, cost),
      rows: funnels.rows(),
      isFinal: looks.targets.never === 0 && isIdle(input.tasks),
      plan: planHash(campaign),
    }),
  };
  return {
    format: "forager-campaign-report/1",
    campaign: campaign.name,
    at: new Date(nowMs).toISOString(),
    tiles: {
      planned: planTiles(campaign).length,
      ...looks.tiles,
    },
    targets: looks.targets,
    funnel,
    rows: funnels.rows(),
    fields: fields.result(),
    withoutEmail: reasons.result(),
    cost,
    freshness: { ...looks.freshness, visits: visits.result() },
    excluded,
    filtered: [...filtered].map(([filter, companies]) => ({ filter, companies })),
    closedPlaces: input.closedPlaces ?? 0,
    suppressedPlaces: looks.suppressed,
    ...(input.tasks && { tasks: input.tasks }),
    licences: [...attributionsOf(placeSources)],
    ...(budget && { budget }),
    ...estimate,
    alarms: looks.emptyTiles.alarms(campaign),
  };
}

/**
 * Companies name their source in the form shown to people, questions by its key. Witnesses have
 * both.
 */
function sourceOfName(
  targets: readonly Target[],
  witnesses: ReadonlyMap<string, Witnesses>,
): (name: string | undefined) => string {
  const keys = new Map<string, string>();
  for (const target of targets) {
    const witness = witnessOf(witnesses.get(target.tile.id), target);
    if (witness) keys.set(witness.source, target.source);
  }
  return (name = "") => keys.get(name) ?? (name.replace(/:.*$/s, "") || "unknown");
}

/** Counts the witnesses of the plan's questions. */
function countLooks(input: CampaignReportInput, funnels: Funnels) {
  const { targets, mayHave, nowMs } = input;
  const states = { fresh: 0, empty: 0, expired: 0, failed: 0, never: 0 };
  const cells = createCells({ by: "tile" });
  const emptyTiles = createEmptyTiles(nowMs);
  let [leftOut, oldestMs, newestMs, nextDueMs] = [0, Infinity, -Infinity, Infinity];
  let suppressed = 0;
  for (const look of looksOf(input)) {
    const { target, witness, times, state } = look;
    states[state] += 1;
    if (mayHave && !mayHave(target)) leftOut += 1;
    funnels.look(target, witness);
    suppressed += witness?.suppressed ?? 0;
    cells.add(look);
    emptyTiles.add(look);
    if (!times || (state !== "fresh" && state !== "empty")) continue;
    oldestMs = Math.min(oldestMs, times.atMs);
    newestMs = Math.max(newestMs, times.atMs);
    nextDueMs = Math.min(nextDueMs, times.expiresMs);
  }
  return {
    tiles: countCells(cells.result()),
    emptyTiles,
    targets: { planned: targets.length, ...states, leftOut },
    suppressed,
    freshness:
      oldestMs === Infinity
        ? {}
        : {
            oldestTileAt: new Date(oldestMs).toISOString(),
            newestTileAt: new Date(newestMs).toISOString(),
            nextDueAt: new Date(nextDueMs).toISOString(),
          },
  };
}

const examplesMax = 5;

function createReasons() {
  type Counted = CampaignReport["withoutEmail"]["reasons"][number];
  const found = new Map<string, Counted>();
  let companies = 0;
  return {
    add(company: Company) {
      const missing = missingEmailOf(company);
      if (!missing) return;
      companies += 1;
      const text = missingEmailText(missing);
      const known = found.get(text) ?? { ...missing, text, companies: 0, examples: [] };
      if (known.examples.length < examplesMax) known.examples.push(company.slug);
      known.companies += 1;
      found.set(text, known);
    },
    result: () => ({
      companies,
      reasons: [...found.values()].toSorted((a, b) => b.companies - a.companies),
    }),
  };
}

interface Spent {
  readonly requests: number;
  readonly bytes: number;
  readonly hours: number;
}

const costOf = (
  leads: number,
  { requests, bytes, hours }: Spent,
  bucket: BucketCost | undefined,
): CampaignReport["cost"] => ({
  leads,
  websiteRequests: requests,
  websiteBytes: bytes,
  hours: rounded(hours, 1e6),
  ...(leads > 0 && { websiteRequestsPerLead: rounded(requests / leads, 100) }),
  ...(bucket && {
    bucketRequests: bucket.requests,
    bucketDollars: rounded(bucket.dollars, 1e9),
    ...(leads > 0 && { bucketDollarsPerLead: rounded(bucket.dollars / leads, 1e9) }),
  }),
});

/** The estimated figures that a report also counts. */
const actualFigures = (
  { fresh, empty, expired }: Omit<CampaignReport["tiles"], "planned">,
  { places, companies, withWebsite }: CampaignReport["funnel"],
  { websiteRequests, websiteBytes, hours, bucketDollars }: CampaignReport["cost"],
) => ({
  tiles: fresh + empty + expired,
  places,
  companies,
  websites: withWebsite,
  websiteRequests,
  hours,
  bytes: websiteBytes,
  ...(bucketDollars !== undefined && { bucketDollars }),
});

const isIdle = (tasks: CampaignReport["tasks"]) =>
  tasks !== undefined && tasks.pending + tasks.running === 0;

/** Sorts after every timestamp. */
const noMoment = "9999-12-31";

const rounded = (value: number, parts: number) => Math.round(value * parts) / parts;

const dayMs = 86_400_000;

/** Counts companies by the age of their last visit. */
function createVisitAges(nowMs: number) {
  const counts = { days7: 0, days30: 0, days90: 0, older: 0, never: 0 };
  return {
    add({ visit }: Pick<Company, "visit">) {
      const days = visit ? (nowMs - Date.parse(visit.at)) / dayMs : Infinity;
      if (!visit) counts.never += 1;
      else if (days <= 7) counts.days7 += 1;
      else if (days <= 30) counts.days30 += 1;
      else if (days <= 90) counts.days90 += 1;
      else counts.older += 1;
    },
    result: (): CampaignReport["freshness"]["visits"] => counts,
  };
}
