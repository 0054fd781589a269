import { strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { addDueTasks } from "../../src/app/campaign/dispatch-campaign.ts";
import { allCompanies } from "../../src/app/campaign/all-companies.ts";
import { exportCompanies } from "../../src/app/exchange/export-records.ts";
import { openWholeFile } from "../../src/app/exchange/whole-file.ts";
import { openQueue } from "../../src/app/index.ts";
import { silentLogger } from "../../src/base/log/logger.ts";
import {
  buildCampaignReport,
  campaignCoverage,
  coverageKml,
  dueTargets,
  groupByTask,
  membershipOf,
  parseCampaign,
  planTargets,
  type Campaign,
  type Witness,
} from "../../src/campaign/index.ts";
import { openSqliteRecordIndex } from "../../src/records/adapters/sqlite/sqlite-record-index.ts";
import {
  createCompanyWriter,
  readSuppressFile,
  type RecordQuery,
} from "../../src/records/index.ts";
import { company } from "../../src/records/testing/sample-records.ts";
import type { Side } from "../frame/side.ts";

export interface CampaignInput {
  readonly tiles: number;
  readonly phrases: number;
  readonly companies: number;
}

const nowMs = Date.parse("2026-11-17T00:00:00.000Z");

/** One location at the equator whose box has at least so many tiles. */
function campaignOf({ tiles, phrases }: CampaignInput): Campaign {
  const names = Array.from({ length: phrases }, (_, index) => `phrase ${index}`);
  const km = Math.ceil((Math.sqrt(tiles) * 11.12) / 2);
  return parseCampaign(
    "bench",
    "config.toml",
    `phrases = ${JSON.stringify(names)}\nproximityKm = ${km}\n[[locations]]\nname = "x"\nlat = 0.05\n` +
      `lon = 0.05\n[sources]\nfile = "p.jsonl"\n`,
  );
}

/** Every target of a new campaign becomes part of a task. */
export const plan: Side<CampaignInput> = async (input, { folder }) => {
  const campaign = campaignOf(input);
  const queue = await openQueue(`sqlite:${join(folder, "queue.db")}`);
  let tasks = 0;
  return {
    async run() {
      const startMs = performance.now();
      const targets = planTargets(campaign);
      const { freshness } = campaign;
      const due = dueTargets({ targets, witnesses: new Map(), freshness, nowMs });
      const chosen = groupByTask(due);
      const plannedMs = performance.now();
      const { added } = await addDueTasks({
        queue,
        campaign,
        due: { chosen, isKept: () => true },
        nowMs,
      });
      strictEqual(added, chosen.length);
      tasks = added;
      return {
        planS: (plannedMs - startMs) / 1_000,
        dispatchS: (performance.now() - plannedMs) / 1_000,
        targets: targets.length,
      };
    },
    async check() {
      strictEqual((await queue.job("bench"))?.pending, tasks);
      await queue.close();
    },
  };
};

/** Report, CSV and KML of a campaign whose companies are in the index. */
export const report: Side<CampaignInput> = async (input, { folder }) => {
  const campaign = campaignOf(input);
  const targets = planTargets(campaign);
  const index = openSqliteRecordIndex({ file: join(folder, "index.db"), log: silentLogger });
  const at = "2026-11-16T00:00:00.000Z";
  const rowOf = (number: number) => {
    const { tile, phrase } = targets[(number * 7_919) % targets.length]!;
    return company(`c${number}`, {
      name: `Company ${number} of Somewhere`,
      texts: {
        domain: `c${number}.example`,
        website: `https://c${number}.example/`,
        street: `${number} Main Street`,
        city: "Austin",
        zip: "78701",
        country: "US",
        place: `osm/node/${number}`,
      },
      numbers: { latitude: tile.south / 10, longitude: tile.west / 10 },
      emails:
        number % 3 === 0 ? [] : [{ value: `info@c${number}.example`, url: "https://x.example/" }],
      phones: [{ value: "+15125550100" }],
      categories: ["plumber", "heating"],
      foundBy: [{ tile: tile.id, phrase, campaign: "bench", at, source: "file:p.jsonl" }],
      visit: { at, outcome: "done", version: 1, pages: 5, requests: 7 },
    });
  };
  const chunk = 5_000;
  for (let from = 0; from < input.companies; from += chunk) {
    index.update({ put: Array.from({ length: chunk }, (_, one) => rowOf(from + one)) });
  }
  const witness: Witness = { at, found: 1, source: "file:p.jsonl" };
  const ofTile = new Map(campaign.phrases.map((phrase) => [`${phrase}@file`, witness]));
  const witnesses = new Map(targets.map(({ tile }) => [tile.id, ofTile]));
  const records = {
    search: async (query: RecordQuery) => index.search(query),
    emailUsage: async (address: string) => index.emailUsage(address),
  };
  const timed = async (work: () => Promise<void> | void) => {
    const startMs = performance.now();
    await work();
    return performance.now() - startMs;
  };
  return {
    async run() {
      let companies = 0;
      const reportMs = await timed(async () => {
        const made = await buildCampaignReport({
          campaign,
          targets,
          witnesses,
          nowMs,
          companies: allCompanies(records),
        });
        companies = made.funnel.companies;
      });
      strictEqual(companies, input.companies);
      let rows = 0;
      const exportMs = await timed(async () => {
        const file = openWholeFile(join(folder, "out.csv"));
        const counts = await exportCompanies({
          records,
          query: { filters: { isExcluded: false } },
          membership: membershipOf(campaign),
          suppressed: readSuppressFile("").list,
          writer: createCompanyWriter({ format: "csv" }),
          write: (text) => file.write(text),
          signal: new AbortController().signal,
        });
        await file.commit();
        rows = counts.rows;
      });
      strictEqual(rows, input.companies);
      const kmlMs = await timed(() => {
        const cells = campaignCoverage({ campaign, targets, witnesses, nowMs, by: "tile" });
        let length = 0;
        for (const piece of coverageKml("bench", cells)) length += piece.length;
        strictEqual(length > cells.length * 100, true);
      });
      return { reportS: reportMs / 1_000, exportPerS: (rows / exportMs) * 1_000, kmlMs };
    },
    check: async () => index[Symbol.dispose](),
  };
};
