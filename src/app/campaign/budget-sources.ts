import type { Clock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import {
  budgetStanding,
  budgetText,
  membershipOf,
  openCampaignFolder,
  planTiles,
  readWitnesses,
  type BudgetSources,
  type Campaign,
} from "../../campaign/index.ts";
import type { Paths } from "../../config/index.ts";
import type { NodeReadApi } from "../../node/index.ts";
import type { Queue } from "../../queue/index.ts";
import { dayOf, readUsage } from "../usage-record.ts";
import { allCompanies } from "./all-companies.ts";

export interface BudgetSourcesOptions {
  readonly queue: Pick<Queue, "job" | "now">;
  /** `queue.url` of the settings. */
  readonly queueUrl: string;
  readonly paths: Paths;
  readonly clock: Clock;
  readonly ledger: Pick<NodeReadApi["ledger"], "readAll">;
  /** Absent: companies are not counted one by one; there are at most as many as places were found. */
  readonly records?: Pick<NodeReadApi["records"], "search">;
}

/** A commit is mostly PUT requests: $5 for a million. */
const dollarsPerCommitRequest = 5e-6;
/** Counts of requests are written once a minute at most. */
const dollarsMs = 60_000;
const companiesMs = 2_000;

/** What a campaign has spent, by queue, ledger and records of this node. */
export function createBudgetSources(options: BudgetSourcesOptions): BudgetSources {
  const { queue, queueUrl, paths, clock, ledger, records } = options;
  const dollars = remembering(clock, dollarsMs, async (sinceDay: string) => {
    const rows = await readUsage(sinceDay, { paths, clock, log: silentLogger });
    const others = rows.filter(({ caller }) => caller !== "queue");
    return others.reduce((sum, row) => sum + row.dollars, 0);
  });
  const counted = new Map<string, { readonly atMs: number; readonly companies: number }>();
  async function countCompanies(campaign: Campaign): Promise<number> {
    const known = counted.get(campaign.name);
    if (known && clock.monotonicMs() - known.atMs < companiesMs) return known.companies;
    const membership = membershipOf(campaign);
    let companies = 0;
    for await (const page of allCompanies(records!)) {
      companies += page.filter(
        (one) =>
          membership.has(one) &&
          !membership.isExcluded(one) &&
          membership.filterOf(one) === undefined,
      ).length;
    }
    counted.set(campaign.name, { atMs: clock.monotonicMs(), companies });
    return companies;
  }
  return {
    job: (name) => queue.job(name),
    nowMs: async () => (await queue.now()).ms,
    dollars: (lastMs) => dollars(dayOf(clock.nowMs() - lastMs)),
    dollarsPerCommitRequest: queueUrl.startsWith("s3:") ? dollarsPerCommitRequest : 0,
    async companies(campaign, max) {
      const tiles = planTiles(campaign).map(({ tile }) => tile);
      const witnesses = await readWitnesses(ledger, tiles);
      let found = 0;
      for (const ofTile of witnesses.values())
        for (const one of ofTile.values()) found += one.found;
      // A company takes at least one place: fewer places than that are enough to know.
      if (found < max) return found;
      if (records) return await countCompanies(campaign);
      const job = await queue.job(campaign.name);
      return job?.isPaused === true ? found : max - 1;
    },
  };
}

/** Campaigns of this data folder that their budget has stopped, each with what to do. */
export async function readStoppedCampaigns(
  options: BudgetSourcesOptions,
): Promise<readonly { readonly campaign: string; readonly text: string }[]> {
  const folder = openCampaignFolder(options.paths);
  const sources = createBudgetSources(options);
  const stopped: { readonly campaign: string; readonly text: string }[] = [];
  for (const name of await folder.list()) {
    // Commands that show campaigns report what is wrong in a config.toml.
    const campaign = await folder.load(name).catch(() => undefined);
    const standing = campaign && (await budgetStanding(campaign, sources));
    if (standing?.state !== "budget") continue;
    stopped.push({ campaign: name, text: budgetText(name, standing) });
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
