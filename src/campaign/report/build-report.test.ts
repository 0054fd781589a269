// inputs: src/campaign/** src/sources/** src/records/** src/ledger/** src/extract/** src/base/**
import { describe, expect, test } from "vitest";
import { sampleCompany } from "../../records/testing/sample-records.ts";
import type { Company } from "../../records/index.ts";
import { parseTileId } from "../../sources/index.ts";
import { parseCampaign } from "../config/parse-campaign.ts";
import { filtersSchema } from "../places/filters.ts";
import { planTargets } from "../plan.ts";
import type { Witness } from "../witness.ts";
import { buildCampaignReport } from "./build-report.ts";
import { campaignReportSchema } from "./report-schema.ts";

const nowMs = Date.parse("2026-11-17T12:00:00.000Z");
const campaign = parseCampaign(
  "munich",
  "config.toml",
  `phrases = ["plumber", "baker"]
proximityKm = 15
[[locations]]
name = "Munich"
lat = 48.15
lon = 11.55
[sources]
file = "p.jsonl"
[exclusions]
domains = ["spam.test"]
`,
);
const targets = planTargets(campaign);
const ids = [...new Set(targets.map(({ tile }) => tile.id))];
const home = "48.1_11.5";
const looked = (found: number, days: number): Witness => ({
  at: new Date(nowMs - days * 86_400_000).toISOString(),
  found,
  source: "file:p.jsonl",
});
const witnesses = (entries: readonly (readonly [string, string, Witness])[]) => {
  const all = new Map<string, Map<string, Witness>>();
  for (const [tile, phrase, witness] of entries) {
    const known = all.get(tile) ?? new Map<string, Witness>();
    all.set(tile, known.set(`${phrase}@file`, witness));
  }
  return all;
};
const foundAt = (phrase: string, more: object = {}) => ({
  tile: home,
  phrase,
  campaign: "munich",
  at: "2026-11-16T00:00:00.000Z",
  source: "file:p.jsonl",
  ...more,
});
const visited = (outcome: string, reason?: string): NonNullable<Company["visit"]> => ({
  at: "2026-11-16T00:00:00.000Z",
  outcome,
  ...(reason !== undefined && { reason }),
  version: 1,
  pages: 2,
  requests: 5,
});
const email = [{ value: "info@a.test" }];

describe("the report of a campaign", () => {
  const companies = [
    sampleCompany("a", {
      foundBy: [foundAt("plumber"), foundAt("baker")],
      texts: { website: "https://a.test/", city: "Munich" },
      emails: email,
      visit: visited("done"),
    }),
    // Another campaign asked, and this one has the same tile and phrase.
    sampleCompany("b", { foundBy: [foundAt("plumber", { campaign: "other" })] }),
    sampleCompany("c", {
      foundBy: [foundAt("baker")],
      texts: { domain: "c.test" },
      visit: visited("unreachable", "dns"),
    }),
    sampleCompany("d", { foundBy: [foundAt("baker")], texts: { domain: "d.test" } }),
    sampleCompany("e", { foundBy: [foundAt("baker")], visit: visited("done") }),
    sampleCompany("spam", { foundBy: [foundAt("baker")], texts: { domain: "spam.test" } }),
    sampleCompany("out", { foundBy: [foundAt("baker", { tile: "1.0_1.0", campaign: "other" })] }),
    // Another campaign has it in a file of its own.
    sampleCompany("file", {
      foundBy: [foundAt("plumber", { campaign: "other", file: "file.other.1" })],
    }),
    sampleCompany("own"),
  ];
  const build = () =>
    buildCampaignReport({
      campaign,
      targets,
      nowMs,
      companies: [companies.slice(0, 3), companies.slice(3)],
      witnesses: witnesses([
        [home, "plumber", looked(2, 1)],
        [home, "baker", looked(4, 1)],
        [ids[0]!, "plumber", looked(0, 1)],
        [ids[1]!, "plumber", looked(3, 91)],
      ]),
      hasFailed: ({ tile }) => tile.id === ids[2],
      tasks: { pending: 1, running: 0, done: 3, skipped: 0, failed: 1 },
    });

  test("is what its schema says", async () => {
    const report = await build();
    expect(campaignReportSchema.parse(report)).toEqual(report);
  });

  test("counts each company once, and in the row of each question that found it", async () => {
    const { funnel, rows, excluded } = await build();
    expect(funnel).toEqual({
      tiles: 3,
      places: 9,
      companies: 5,
      withWebsite: 3,
      visited: 3,
      enriched: 2,
      withContact: 1,
      withEmail: 1,
      withPhone: 0,
    });
    expect(excluded).toBe(1);
    expect(rows.map(({ phrase, source }) => `${phrase} ${source}`)).toEqual([
      "plumber file",
      "baker file",
    ]);
    expect(rows[0]).toMatchObject({ tiles: 3, places: 5, companies: 2, withEmail: 1 });
    expect(rows[1]).toMatchObject({ tiles: 1, places: 4, companies: 4, withEmail: 1 });
  });

  test("each step of the funnel has at most what the one before has, also while a run is on", async () => {
    const phone = [{ value: "+15125550100" }];
    const underWay = [
      // Its visit continues: the first page has shown an address.
      sampleCompany("w1", { foundBy: [foundAt("plumber")], emails: email }),
      sampleCompany("w2", { foundBy: [foundAt("plumber")], phones: phone }),
      sampleCompany("w3", { foundBy: [foundAt("plumber")], phones: phone, visit: visited("unreachable", "dns") }), // prettier-ignore
      sampleCompany("w4", { foundBy: [foundAt("plumber")], emails: email, visit: visited("done") }),
      sampleCompany("w5", { foundBy: [foundAt("plumber")], visit: visited("done", "needs_scripts") }), // prettier-ignore
    ];
    const input = { campaign, targets, witnesses: new Map(), nowMs, companies: [underWay] };
    const {
      places,
      companies: all,
      visited: seen,
      enriched,
      withContact,
    } = (await buildCampaignReport(input)).funnel;
    expect([places, all, seen, enriched, withContact]).toEqual([5, 5, 3, 1, 1]);
  });

  test("F3: what a filter rejects is counted by filter, and not in the funnel", async () => {
    const filters = filtersSchema.parse({ website: true });
    const rejected = [
      sampleCompany("f1", { foundBy: [foundAt("plumber", { filtered: "website" })] }),
      // Only another campaign asked: it is judged by what is known.
      sampleCompany("f2", { foundBy: [foundAt("plumber", { campaign: "other" })] }),
      sampleCompany("f3", { foundBy: [foundAt("plumber")], texts: { website: "https://a.test/" } }),
    ];
    const input = { campaign: { ...campaign, filters }, targets, witnesses: witnesses([]), nowMs, closedPlaces: 3 }; // prettier-ignore
    const report = await buildCampaignReport({ ...input, companies: [rejected] });
    expect(report.filtered).toEqual([{ filter: "website", companies: 2 }]);
    expect(report.closedPlaces).toBe(3);
    expect(report.funnel.companies).toBe(1);
  });

  test("gives each company without an address exactly one reason", async () => {
    const { withoutEmail, funnel } = await build();
    expect(withoutEmail.companies).toBe(funnel.companies - funnel.withEmail);
    const reasons = withoutEmail.reasons.map(({ reason, detail, companies: count }) =>
      [reason, detail ?? "", count].join(" ").replace("  ", " "),
    );
    expect(reasons.toSorted()).toEqual([
      "no_email_on_site 1",
      "no_website 1",
      "not_visited 1",
      "unreachable dns 1",
    ]);
    const sum = withoutEmail.reasons.reduce((total, one) => total + one.companies, 0);
    expect(sum).toBe(withoutEmail.companies);
  });

  test("counts tiles and questions of the plan by state, each once", async () => {
    const { tiles, targets: questions } = await build();
    const { planned, ...states } = tiles;
    expect(planned).toBe(ids.length);
    expect(Object.values(states).reduce((sum, one) => sum + one, 0)).toBe(planned);
    expect(states).toMatchObject({ fresh: 1, failed: 1 });
    const { planned: all, leftOut, ...byState } = questions;
    expect(all).toBe(targets.length);
    expect(leftOut).toBe(0);
    expect(Object.values(byState).reduce((sum, one) => sum + one, 0)).toBe(all);
    expect(byState).toMatchObject({ fresh: 2, empty: 1, expired: 1, failed: 2 });
  });

  test("says what a lead costs", async () => {
    const report = await buildCampaignReport({
      campaign,
      targets,
      nowMs,
      witnesses: new Map(),
      companies: [companies],
      bucket: async (since) => {
        expect(since).toBe("2026-11-16");
        return { requests: 10, dollars: 0.5 };
      },
    });
    expect(report.cost).toEqual({
      leads: 1,
      websiteRequests: 15,
      websiteBytes: 0,
      hours: 0,
      websiteRequestsPerLead: 15,
      bucketRequests: 10,
      bucketDollars: 0.5,
      bucketDollarsPerLead: 0.5,
    });
  });

  test("is all zeros for a campaign that has not begun", async () => {
    const report = await buildCampaignReport({
      campaign,
      targets,
      nowMs,
      witnesses: new Map(),
      companies: [],
    });
    expect(campaignReportSchema.parse(report)).toEqual(report);
    expect(report.tiles.never).toBe(ids.length);
    expect(report.funnel.companies).toBe(0);
    expect(report.alarms).toEqual([]);
  });
});

describe("the alarm of empty tiles", () => {
  const alarmsWith = async (empty: number, full: number, days = 1) => {
    const some = ids.slice(0, empty + full);
    expect(some.length).toBe(empty + full);
    const { alarms } = await buildCampaignReport({
      campaign,
      targets,
      nowMs,
      companies: [],
      witnesses: witnesses(
        some.map((id, at) => [id, "plumber", looked(at < empty ? 0 : 1, days)] as const),
      ),
    });
    return alarms.map(({ alarm }) => alarm);
  };

  test("needs more than 10 tiles", async () => {
    expect(parseTileId(home)).toBeDefined();
    expect(await alarmsWith(10, 0)).toEqual([]);
    expect(await alarmsWith(11, 0)).toEqual(["empty_tiles"]);
  });

  test("needs more than 40 % of them", async () => {
    expect(await alarmsWith(6, 9)).toEqual([]);
    expect(await alarmsWith(7, 8)).toEqual(["empty_tiles"]);
  });

  test("forgets what was more than 7 days ago", async () => {
    expect(await alarmsWith(11, 0, 8)).toEqual([]);
  });
});
