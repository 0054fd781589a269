import { describe, expect, test } from "vitest";
import { sampleCompany } from "../../records/testing/sample-records.ts";
import { createPhraseCache } from "../places/phrase-meaning.ts";
import { parseCampaign } from "../config/parse-campaign.ts";
import { createCompanyAudit } from "./audit.ts";
import { auditFindingSchema } from "./audit-schema.ts";

const campaign = (name: string, phrase: string, lat: number) =>
  parseCampaign(
    name,
    "config.toml",
    `phrases = ["${phrase}"]\nproximityKm = 5\n[[locations]]\nname = "x"\nlat = ${lat}\nlon = 11.55\n`,
  );

const nowMs = Date.parse("2026-11-18T00:00:00Z");
const audit = createCompanyAudit({
  campaigns: [campaign("munich", "plumber", 48.15), campaign("north", "plumber", 52.15)],
  phrases: createPhraseCache(),
  nowMs,
});
const at = "2026-11-01T00:00:00.000Z";
const found = (tile: string, name: string, phrase = "plumber") => ({
  tile,
  phrase,
  campaign: name,
  at,
  source: "file:p.jsonl",
});
const munich = { latitude: 48.15, longitude: 11.55 };
const north = { latitude: 52.15, longitude: 11.55 };
const place = { place: "p/1" };
const judge = (more: object) => {
  const findings = audit.findingsOf(sampleCompany("acme", more));
  for (const one of findings) expect(auditFindingSchema.parse(one)).toEqual(one);
  return findings;
};

describe("audit of campaigns", () => {
  test("B28: a company where its campaign searches is in order, whatever the plan became", () => {
    expect(judge({ numbers: munich, foundBy: [found("48.1_11.5", "munich")] })).toEqual([]);
    // The campaign had this phrase once, and nobody else has it.
    const old = [found("48.1_11.5", "munich", "baker")];
    expect(judge({ numbers: munich, foundBy: old })).toEqual([]);
    // Nobody knows where it is.
    expect(judge({ foundBy: [found("48.1_11.5", "munich")] })).toEqual([]);
  });

  test("what a person typed in, or excluded, is not judged", () => {
    expect(judge({ numbers: munich })).toEqual([]);
    expect(judge({ numbers: munich, texts: place, excluded: "a rival" })).toEqual([]);
  });

  test("B28: a company that lies elsewhere goes to the campaign that searches there", () => {
    const [one, ...others] = judge({ numbers: north, foundBy: [found("48.1_11.5", "munich")] });
    expect(others).toEqual([]);
    expect(one).toMatchObject({
      problem: "wrong_place",
      campaign: "munich",
      belongsTo: "north",
      changes: [
        { field: "found/48.1_11.5/plumber", value: null },
        {
          field: "found/52.1_11.5/plumber",
          value: { campaign: "north", at, source: "file:p.jsonl" },
        },
      ],
    });
    expect(one!.evidence).toContain("it lies in 52.1_11.5, where campaign munich does not search");
    const [nowhere] = judge({
      numbers: { latitude: 10.05, longitude: 10.05 },
      foundBy: [found("48.1_11.5", "munich")],
    });
    expect(nowhere).toMatchObject({ problem: "wrong_place", belongsTo: null });
    expect(nowhere!.changes).toEqual([{ field: "found/48.1_11.5/plumber", value: null }]);
  });

  test("B28: a find of a campaign that is gone goes to the one that searches there", () => {
    const [one] = judge({ numbers: munich, foundBy: [found("48.1_11.5", "gone")] });
    expect(one).toMatchObject({
      problem: "wrong_campaign",
      campaign: "gone",
      belongsTo: "munich",
      evidence: "campaign gone does not exist, and munich does",
      changes: [{ field: "found/48.1_11.5/plumber", value: { campaign: "munich" } }],
    });
  });

  test("a find in the file of a campaign that is gone is replaced as a whole", () => {
    const inFile = { ...found("48.1_11.5", "gone"), file: "file.gone.1" };
    const [one] = judge({ numbers: munich, foundBy: [inFile] });
    expect(one!.changes.map(({ field, value }) => [field, value?.campaign])).toEqual([
      ["found/48.1_11.5/plumber/file.gone.1", undefined],
      ["found/48.1_11.5/plumber", "munich"],
    ]);
  });

  test("B28: a place of no campaign goes to the one whose phrase finds it, or is only told", () => {
    const [fits] = judge({ name: "Acme Plumber", numbers: munich, texts: place });
    expect(fits).toMatchObject({
      problem: "no_campaign",
      campaign: null,
      belongsTo: "munich",
      changes: [
        {
          field: "found/48.1_11.5/plumber",
          value: { campaign: "munich", at: "2026-11-18T00:00:00.000Z", source: "audit" },
        },
      ],
    });
    const [other] = judge({ name: "Acme Bakery", numbers: munich, texts: place });
    expect(other).toMatchObject({ problem: "no_campaign", belongsTo: null, changes: [] });
    const [gone] = judge({ foundBy: [found("10.0_10.0", "gone")] });
    expect(gone).toMatchObject({ problem: "no_campaign", campaign: "gone", belongsTo: null });
    expect(gone!.evidence).toContain("found by gone, which does not exist");
  });
});
