import { describe, expect, test } from "vitest";
import { parseCampaign } from "../config/parse-campaign.ts";
import { companyFacts } from "../places/company-fields.ts";
import type { CampaignReport } from "../report/report-schema.ts";
import { compareEstimate } from "./compare-estimate.ts";
import { campaignEstimateSchema, estimateFigures } from "./estimate-schema.ts";
import { estimateCampaign, estimateDefaults, planHash, type EstimateInput } from "./estimate.ts";
import { createPlaceCounter } from "./place-counts.ts";

const campaignOf = (more = "") =>
  parseCampaign(
    "demo",
    "config.toml",
    `phrases = ["plumber", "roofer"]\n[[locations]]\nname = "x"\nlat = 1\nlon = 1\n${more}`,
  );

const noPast = {
  visits: 0,
  requests: 0,
  bytes: 0,
  visitsWithBytes: 0,
  bucketDollars: undefined,
};
const input = (more: Partial<EstimateInput> = {}): EstimateInput => ({
  campaign: campaignOf(),
  nowMs: Date.parse("2026-11-18T00:00:00Z"),
  tiles: 4,
  phrases: [
    { phrase: "plumber", found: 30 },
    { phrase: "roofer", found: 10 },
  ],
  counts: {
    companies: 36,
    websites: 18,
    websitesOfOneHost: 1,
    excluded: 1,
    filtered: 2,
    suppressed: 0,
  },
  lookedShare: 1,
  knownTiles: 4,
  tilesToAsk: 0,
  delayMs: 1_000,
  slots: 10,
  past: noPast,
  isCharged: { queue: false, bucket: false },
  ...more,
});

describe("estimate of a campaign", () => {
  test("what snapshots contain is counted, what only visits show is marked as a guess", () => {
    const made = estimateCampaign(input());
    expect(campaignEstimateSchema.parse(made)).toEqual(made);
    expect(made.phrases).toEqual([
      { phrase: "plumber", places: 30, basis: "counted" },
      { phrase: "roofer", places: 10, basis: "counted" },
    ]);
    expect(made.tiles).toMatchObject({ value: 4, basis: "counted" });
    expect(made.places).toMatchObject({ value: 40, basis: "counted" });
    expect(made.companies).toMatchObject({ value: 36, basis: "counted" });
    expect(made.websites).toMatchObject({ value: 18, basis: "counted" });
    expect(made.sourceRequests).toMatchObject({ value: 0, basis: "counted" });
    const requests = 18 * estimateDefaults.requestsPerVisit;
    expect(made.websiteRequests).toMatchObject({ value: requests, basis: "guess" });
    // 90 requests of a second each in 10 slots; one host alone takes 5 s.
    expect(made.hours.value).toBeCloseTo(requests / 10 / 3_600, 5);
    expect(made.bucketDollars).toMatchObject({ value: 0, basis: "counted" });
    for (const name of estimateFigures) expect(made[name].because).not.toBe("");
  });

  test("twenty earlier visits are a measure, nineteen are not", () => {
    const past = (visits: number) => ({
      visits,
      requests: visits * 3,
      bytes: visits * 40_000,
      visitsWithBytes: visits,
      bucketDollars: visits * 0.001,
    });
    const isCharged = { queue: true, bucket: true };
    const measured = estimateCampaign(input({ past: past(20), isCharged }));
    expect(measured.websiteRequests).toMatchObject({ value: 54, basis: "measured" });
    expect(measured.bytes).toMatchObject({ value: 720_000, basis: "measured" });
    expect(measured.bucketDollars).toMatchObject({ value: 0.018, basis: "measured" });
    const guessed = estimateCampaign(input({ past: past(19), isCharged }));
    expect(guessed.websiteRequests).toMatchObject({ value: 90, basis: "guess" });
    expect(guessed.bucketDollars).toMatchObject({ basis: "guess" });
    expect(guessed.bucketDollars.value).toBeGreaterThan(0);
  });

  test("a tile without a snapshot counts as an average one, and makes it a guess", () => {
    const campaign = campaignOf(
      '[sources.overpass]\nurl = "https://o.example/api"\ndelayMs = 9000',
    );
    const some = estimateCampaign(input({ campaign, knownTiles: 4, tilesToAsk: 4 }));
    expect(some.places).toMatchObject({ value: 80, basis: "guess" });
    expect(some.companies).toMatchObject({ value: 72, basis: "guess" });
    expect(some.websites).toMatchObject({ value: 36, basis: "guess" });
    expect(some.sourceRequests).toMatchObject({ value: 4 });
    expect(some.hours.value).toBeGreaterThan((4 * 9) / 3_600);
    const phrases = input().phrases.map((one) => ({ ...one, found: 0 }));
    const none = {
      companies: 0,
      websites: 0,
      websitesOfOneHost: 0,
      excluded: 0,
      filtered: 0,
      suppressed: 0,
    };
    const blind = estimateCampaign(
      input({ campaign, phrases, counts: none, knownTiles: 0, tilesToAsk: 4 }),
    );
    const expected = 2 * 4 * estimateDefaults.placesPerPhraseAndTile;
    expect(blind.places).toMatchObject({ value: expected, basis: "guess" });
    expect(blind.websites.value).toBeCloseTo(expected * estimateDefaults.websiteShare, 5);
  });

  test("a host that many companies share makes it as long as its pace demands", () => {
    const counts = { ...input().counts, websitesOfOneHost: 18 };
    const { hours } = estimateCampaign(input({ counts, delayMs: 4_000 }));
    expect(hours.value).toBeCloseTo((18 * 5 * 4) / 3_600, 4);
    expect(hours.because).toContain("4 s between requests to one host");
  });

  test("a sample is scaled up", () => {
    const made = estimateCampaign(input({ lookedShare: 0.5 }));
    expect(made.places).toMatchObject({ value: 80, basis: "guess" });
    expect(made.websites).toMatchObject({ value: 36, basis: "guess" });
  });

  test("places are counted by the rules of discovery, each once", async () => {
    const campaign = campaignOf('[filters]\nphone = true\n[exclusions]\ndomains = ["no.example"]');
    const counter = createPlaceCounter(campaign);
    const add = (id: string, more: { website?: string; phones?: string[] }) => {
      const place = { id, name: id, latitude: 1, longitude: 1, ...more };
      counter.add(place, companyFacts(place));
    };
    const phones = ["+49 30 901820"];
    add("a", { website: "https://one.example/a", phones });
    add("a", { website: "https://one.example/a", phones });
    add("b", { website: "https://one.example/b", phones });
    add("c", { phones });
    add("d", { website: "https://two.example" });
    add("e", { website: "https://no.example", phones });
    const all = { companies: 3, websites: 2, websitesOfOneHost: 2, excluded: 1, filtered: 1 };
    const nobody = { suppressed: async () => [] };
    expect(await counter.result(nobody)).toEqual({ ...all, suppressed: 0 });
    const listed = new Set(["place:c", "domain:two.example"]);
    const some = {
      suppressed: async (keys: readonly string[]) => keys.filter((key) => listed.has(key)),
    };
    const left = { ...all, companies: 2, filtered: 0, suppressed: 2 };
    expect(await counter.result(some)).toEqual(left);
  });

  test("the error is in percent of the actual value, and another plan is reported", () => {
    const estimate = estimateCampaign(input());
    const row = (phrase: string, places: number) => ({ phrase, source: "file", places });
    const compared = compareEstimate({
      estimate,
      actual: { places: 50, websiteRequests: 0, tiles: 4 },
      rows: [row("plumber", 20), row("plumber", 5), row("roofer", 25)] as CampaignReport["rows"],
      isFinal: true,
      plan: planHash(campaignOf("[filters]\nphone = true")),
    });
    expect(compared).toMatchObject({ isFinal: true, isOutdated: true });
    expect(compared.rows.map(({ errorPercent }) => errorPercent)).toEqual([-20, null, 0, 20, -60]);
    expect(compared.rows.slice(3).map(({ phrase }) => phrase)).toEqual(["plumber", "roofer"]);
  });
});
