import type { Clock } from "../../base/clock.ts";
import { silentLogger } from "../../base/log/logger.ts";
import {
  budgetStatus,
  budgetText,
  discoverKind,
  discoverSchema,
  membershipOf,
  openCampaignFolder,
  readWitnesses,
  witnessOf,
  type BudgetSources,
  type Campaign,
  type CompanyCounts,
  type CountedCompanies,
  type Discovered,
} from "../../campaign/index.ts";
import type { Paths } from "../../config/index.ts";
import type { NodeReadApi } from "../../node/index.ts";
import type { Queue } from "../../queue/index.ts";
import { placesOf } from "../../records/index.ts";
import { parseTileId } from "../../sources/index.ts";
import { dayOf, readUsage } from "../bucket/usage-record.ts";
import { allCompanies } from "./all-companies.ts";

export interface BudgetSourcesOptions {
  readonly queue: Pick<Queue, "job" | "now" | "ended">;
  /** The address of the queue. */
  readonly queueUrl: string;
  readonly paths: Paths;
  readonly clock: Clock;
  readonly ledger: Pick<NodeReadApi["ledger"], "readAll">;
  readonly records: Pick<NodeReadApi["records"], "search" | "count">;
}

/** A commit is mostly PUT requests, which cost $5 per million. */
const dollarsPerCommitRequest = 5e-6;
/** Request counts are written at most once a minute. */
const dollarsMs = 60_000;
const companiesMs = 2_000;

/** What a campaign has spent, according to the queue, ledger and records of this node. */
export function createBudgetSources(options: BudgetSourcesOptions): BudgetSources & CompanyCounts {
  const { queue, queueUrl, paths, clock, ledger, records } = options;
  const dollars = remembering(clock, dollarsMs, async (sinceDay: string) => {
    const rows = await readUsage(sinceDay, { paths, clock, log: silentLogger });
    const others = rows.filter(({ caller }) => caller !== "queue");
    return others.reduce((sum, row) => sum + row.dollars, 0);
  });
  const known = new Map<string, { readonly atMs: number; readonly count: number }>();
  async function countHere(campaign: Campaign): Promise<CountedCompanies> {
    const membership = membershipOf(campaign);
    const places = new Set<string>();
    let count = 0;
    for await (const page of allCompanies(records)) {
      for (const one of page) {
        const isCounted =
          membership.has(one) &&
          !membership.isExcluded(one) &&
          membership.filterOf(one) === undefined;
        if (!isCounted) continue;
        count += 1;
        for (const place of placesOf(one)) places.add(place);
      }
    }
    known.set(campaign.name, { atMs: clock.monotonicMs(), count });
    return { count, places };
  }
  return {
    clock,
    job: (name) => queue.job(name),
    nowMs: async () => (await queue.now()).ms,
    dollars: (lastMs) => dollars(dayOf(clock.nowMs() - lastMs)),
    dollarsPerCommitRequest: queueUrl.startsWith("s3:") ? dollarsPerCommitRequest : 0,
    async companies(campaign) {
      const recent = known.get(campaign.name);
      if (recent && clock.monotonicMs() - recent.atMs < companiesMs) return recent.count;
      return (await countHere(campaign)).count;
    },
    async counted(campaign) {
      const elsewhere = await foundElsewhere(campaign, { queue, ledger });
      const { count, places } = await countHere(campaign);
      return { count: count + elsewhere, places };
    },
    async companiesMax(campaign) {
      const companies = campaign.budget?.companies ?? 0;
      const elsewhere = await foundElsewhere(campaign, { queue, ledger });
      return elsewhere + (await records.count({ kind: "company" }, companies));
    },
  };
}

const searchesReadMax = 200;

/**
 * Companies that other nodes have found in their newest searches and that have not been replicated
 * to this node. Their witness has not arrived either, because it is written after the companies.
 */
async function foundElsewhere(
  campaign: Campaign,
  { queue, ledger }: Pick<BudgetSourcesOptions, "queue" | "ledger">,
): Promise<number> {
  const ended = await queue.ended({
    states: ["done"],
    kind: discoverKind,
    job: campaign.name,
    isNewestFirst: true,
    limit: searchesReadMax,
  });
  const searches = ended.flatMap(({ payload, result }) => {
    const asked = discoverSchema.safeParse(JSON.parse(payload));
    const found = JSON.parse(result ?? "null") as Discovered | null;
    const tile = asked.success ? parseTileId(asked.data.tile) : undefined;
    return asked.success && tile && found ? [{ ...asked.data, tile, found }] : [];
  });
  const tiles = searches.map(({ tile }) => tile);
  const witnesses = await readWitnesses(ledger, tiles, { campaign });
  const unseen = searches.filter(({ tile, source, due }) =>
    due.every(({ phrase, since }) => {
      const at = witnessOf(witnesses.get(tile.id), { phrase, source })?.at;
      return at === undefined || at === since;
    }),
  );
  return unseen.reduce((sum, { found: { found, excluded, filtered = {} } }) => {
    const rejected = Object.values(filtered).reduce((all, count) => all + count, 0);
    return sum + Math.max(0, found - excluded - rejected);
  }, 0);
}

/** Campaigns of this data folder that were stopped by their budget, each with the next step. */
export async function readStoppedCampaigns(
  options: BudgetSourcesOptions,
): Promise<readonly { readonly campaign: string; readonly text: string }[]> {
  const folder = openCampaignFolder(options.paths);
  const sources = createBudgetSources(options);
  const stopped: { readonly campaign: string; readonly text: string }[] = [];
  for (const name of await folder.list()) {
    // An invalid config.toml is reported by the commands that show campaigns.
    const campaign = await folder.load(name).catch(() => undefined);
    const status = campaign && (await budgetStatus(campaign, sources));
    if (status?.state !== "budget") continue;
    stopped.push({ campaign: name, text: budgetText(name, status) });
  }
  return stopped;
}

function remembering(clock: Clock, ttlMs: number, read: (key: string) => Promise<number>) {
  let known: { readonly key: string; readonly atMs: number; readonly value: number } | undefined;
  return async (key: string): Promise<number> => {
    if (known?.key !== key || clock.monotonicMs() - known.atMs >= ttlMs) {
      known = { key, atMs: clock.monotonicMs(), value: await read(key) };
    }
    return known.value;
  };
}
