import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createPaths } from "../../config/index.ts";
import { openCampaignFolder } from "./campaign-folder.ts";
import { resolveCampaign } from "./parse-campaign.ts";
import { resourceName } from "./resource-name.ts";

const config = `phrases = ["plumber"]
radius = "5 km"

[[locations]]
name = "Austin, TX"
lat = 30.2672
lon = -97.7431

[politeness]
delayMs = 2000

[env.test]
proximityKm = 2

[[env.test.locations]]
name = "Near"
lat = 1
lon = 2

[env.prod.politeness]
contact = "us@example.org"
`;
const defaults = `[politeness]
delayMs = 5000
concurrency = 2

[freshness]
foundDays = 30
`;
const texts = [
  { file: "_defaults.toml", text: defaults },
  { file: "config.toml", text: config },
];
const messageOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("it was taken");
};

test("defaults < _defaults.toml < config.toml < [env.NAME] < fleet, key by key, with origins", () => {
  const fields = new Map<string, unknown>([["politeness.concurrency", 3]]);
  const plain = resolveCampaign("a", { texts, fields });
  expect(plain.campaign.politeness).toEqual({ delayMs: 2_000, concurrency: 3, contact: undefined });
  expect(plain.campaign.freshness).toEqual({ foundDays: 30, emptyDays: 14 });
  expect(plain.campaign.locations).toMatchObject([{ name: "Austin, TX", proximityKm: 5 }]);
  const origins = new Map(plain.values.map(({ key, origin }) => [key, origin]));
  expect(Object.fromEntries(origins)).toMatchObject({
    phrases: "config.toml:1",
    "politeness.delayMs": "config.toml:10",
    "politeness.concurrency": "fleet set campaign.a.politeness.concurrency",
    "freshness.foundDays": "_defaults.toml:6",
    "freshness.emptyDays": "default",
    "locations[1]": "config.toml:4",
  });

  const tested = resolveCampaign("a", { texts, environment: "test" });
  expect(tested.campaign.locations).toEqual([
    { name: "Near", latitude: 1, longitude: 2, proximityKm: 2 },
  ]);
  const prod = resolveCampaign("a", { texts, environment: "prod" });
  expect(prod.campaign.politeness).toMatchObject({ delayMs: 2_000, contact: "us@example.org" });
  expect(prod.values).toContainEqual({
    key: "politeness.contact",
    value: "us@example.org",
    origin: "config.toml:21",
  });
});

test("an error in any layer is reported with its file and line, also of a value that another layer replaces", () => {
  const wrong = [
    { file: "_defaults.toml", text: defaults.replace("5000", '"slow"') },
    {
      file: "config.toml",
      text: config.replace("proximityKm = 2", "proximityKm = -1").replace("contact", "contakt"),
    },
  ];
  const message = messageOf(() => resolveCampaign("a", { texts: wrong }));
  expect(message).toContain("_defaults.toml:2: politeness.delayMs must be milliseconds");
  expect(message).toContain("config.toml:13: proximityKm must be kilometres");
  expect(message).toContain("config.toml:21: unknown key politeness.contakt; the nearest");
  const unknown = messageOf(() =>
    resolveCampaign("a", {
      texts: [{ file: "c", text: config.replaceAll("env.test", "env.tset") }],
    }),
  );
  expect(unknown).toContain("c:12: env.tset must be one of dev, test, prod");
  expect(messageOf(() => resolveCampaign("a", { texts: [texts[0]!] }))).toContain(
    "phrases is missing",
  );
});

test("an environment reads the configurations around it, and keeps all else to itself", async () => {
  const root = mkdtempSync(join(tmpdir(), "forager-environment-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write("campaigns/austin/config.toml", config);
  write("campaigns/_defaults.toml", defaults);
  const paths = createPaths(join(root, "environments", "test"));
  const folder = openCampaignFolder(paths);
  expect(await folder.list()).toEqual(["austin"]);
  expect((await folder.load("austin")).locations[0]!.name).toBe("Near");
  await folder.want(new Map([["austin", new Map([["proximityKm", 7]])]]));
  expect((await folder.load("austin")).locations[0]!.proximityKm).toBe(7);
  const outer = openCampaignFolder(createPaths(root));
  expect((await outer.load("austin")).locations[0]!.name).toBe("Austin, TX");

  // One of its own wins, and the other one stays.
  await folder.writeConfig("austin", config.replace("plumber", "roofer"), { isOwn: true });
  expect((await folder.load("austin")).phrases).toEqual(["roofer"]);
  expect((await outer.load("austin")).phrases).toEqual(["plumber"]);
  await expect(folder.create("austin-test")).rejects.toThrow("must not end with -dev, -test");
  await expect(folder.checkConfig("_defaults", "[politeness]\ndelayMs = 1\n")).rejects.toThrow(
    "_defaults.toml:2: politeness.delayMs must be",
  );
});

test("a wrong environment hides nothing else that is wrong; a text that is not UTF-8 is refused", async () => {
  const wrong = `${config}\n[env.staging]\nproximityKm = 3\n`.replace(
    "delayMs = 2000",
    "delayMs = 1",
  );
  const message = messageOf(() =>
    resolveCampaign("austin", { texts: [{ file: "c.toml", text: wrong }] }),
  );
  expect(message).toMatch(/c\.toml:\d+: env\.staging must be one of dev, test, prod/);
  expect(message).toMatch(/c\.toml:10: politeness\.delayMs must be/);

  const root = mkdtempSync(join(tmpdir(), "forager-latin-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const folder = openCampaignFolder(createPaths(root));
  mkdirSync(join(root, "campaigns", "austin"), { recursive: true });
  const file = join(root, "campaigns", "austin", "config.toml");
  writeFileSync(file, Buffer.from(config.replace("plumber", "bäcker\n"), "latin1"));
  await expect(folder.load("austin")).rejects.toThrow(`${file}:1: this is not UTF-8`);
  await expect(folder.readConfig("austin")).rejects.toThrow("save the file in that encoding");
});

test("names of resources: one for each campaign and environment", () => {
  expect(resourceName("exports", { campaign: "austin" })).toBe("forager-exports-austin");
  expect(resourceName("role", { campaign: "austin", environment: "prod" })).toBe(
    "forager-role-austin-prod",
  );
  expect(messageOf(() => resourceName("exports", { campaign: "austin-prod" }))).toContain(
    "must not end with",
  );
  expect(messageOf(() => resourceName("exports", { campaign: "../x" }))).toContain(
    "cannot be named",
  );
});
