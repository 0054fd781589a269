import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createPaths } from "../../config/index.ts";
import { openCampaignFolder } from "./campaign-folder.ts";
import { checkCampaignField } from "./parse-campaign.ts";

async function createFolder() {
  const root = mkdtempSync(join(tmpdir(), "forager-wanted-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const folder = openCampaignFolder(createPaths(root));
  const file = await folder.create("austin");
  const want = (fields: Readonly<Record<string, unknown>>, name = "austin") =>
    folder.want(new Map([[name, new Map(Object.entries(fields))]]));
  return { folder, file, want };
}

test("wanted fields count over what the file says, at once, and the file stays as it is", async () => {
  const { folder, file, want } = await createFolder();
  const before = await folder.load("austin");
  const text = readFileSync(file, "utf8");
  const fields = { phrases: ["roofer"], "politeness.delayMs": 3_000 };
  expect((await want(fields)).changed).toEqual(["campaign austin has 2 fields set for the fleet"]);
  const after = await folder.load("austin");
  expect(after.phrases).toEqual(["roofer"]);
  expect(after.politeness).toEqual({ ...before.politeness, delayMs: 3_000 });
  expect(after.locations).toEqual(before.locations);
  expect(await want(fields)).toEqual({ changed: [], faults: [] });
  expect(readFileSync(file, "utf8")).toBe(text);
  await want({});
  expect(await folder.load("austin")).toEqual(before);
});

test("invalid fields are reported, and none of them is applied", async () => {
  const { folder, want } = await createFolder();
  const before = await folder.load("austin");
  const { faults } = await want({ proximityKm: 20, "politeness.delayMs": 1 });
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain("politeness.delayMs must be milliseconds");
  expect(await folder.load("austin")).toEqual(before);
  expect((await want({ proximityKm: 20 }, "dallas")).faults[0]).toContain("no campaign dallas");
});

test.each([
  ["proximityKm", 20, undefined],
  ["phrases", ["plumber"], undefined],
  ["exclusions.domains", ["a.example"], undefined],
  ["proximityKm", "far", "proximityKm must be kilometres"],
  ["phrases", [], "at least one phrase"],
  ["politeness", { dalayMs: 1 }, "politeness must be without dalayMs"],
  ["colour", "blue", "there is no colour in a campaign"],
  ["locations.lat", 1, "there is no locations.lat in a campaign"],
  ["__proto__", 1, "there is no __proto__ in a campaign"],
])("lesson 24: %s = %j", (field, value, words) => {
  const fault = checkCampaignField(field, value);
  if (words === undefined) expect(fault).toBeUndefined();
  else expect(fault).toContain(words);
});
