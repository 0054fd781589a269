// inputs: src/campaign/** src/config/** src/base/**
import { describe, expect, test } from "vitest";
import { parseCampaign } from "./parse-campaign.ts";
import { phraseFault, toPhrase } from "../phrase.ts";
import { campaignTemplate } from "./template.ts";

const file = "/data/campaigns/a/config.toml";
const parse = (text: string) => parseCampaign("a", file, text);
const minimal = `phrases = ["Plumber"]

[[locations]]
name = "Austin, TX"
lat = 30.2672
lon = -97.7431
`;
const messageOf = (text: string): string => {
  try {
    parse(text);
  } catch (error) {
    expect(error).toMatchObject({ kind: "invalid", code: "campaign_config" });
    return (error as Error).message;
  }
  throw new Error(`it was taken: ${text}`);
};

describe("config.toml", () => {
  test("the least there can be, with the defaults", () => {
    expect(parse(minimal)).toEqual({
      name: "a",
      phrases: ["plumber"],
      locations: [{ name: "Austin, TX", latitude: 30.2672, longitude: -97.7431, proximityKm: 10 }],
      politeness: { delayMs: undefined, concurrency: 1, contact: undefined },
      exclusions: { domains: [], names: [], places: [] },
      languages: [],
      tags: new Map(),
      sourceFile: undefined,
      fileOptions: { columns: {}, delimiter: undefined, encoding: undefined },
      imported: [],
      freshness: { foundDays: 90, emptyDays: 14 },
    });
  });

  test("what a person chose for phrases, how a file is to be read, and what was imported", () => {
    const text = `languages = ["de"]
${minimal}
[tags."Web  Design"]
osm = ["office=it"]
[sources]
file = "p.csv"
columns = { name = "Firma" }
delimiter = ";"
encoding = "windows-1252"
imported = ["berlin"]
`;
    expect(parse(text)).toMatchObject({
      languages: ["de"],
      tags: new Map([["web design", { osm: ["office=it"] }]]),
      sourceFile: "p.csv",
      fileOptions: { columns: { name: "Firma" }, delimiter: ";", encoding: "windows-1252" },
      imported: ["berlin"],
    });
    expect(messageOf(text.replace('"de"', '"xx"'))).toContain(
      "languages[1] must be one of en, de,",
    );
    expect(messageOf(text.replace('"berlin"', '"file"'))).toContain("forager places import --name");
  });

  test("a town is found by its name, and a distance may be in miles", () => {
    const town = `phrases = ["a"]\nradius = "20 mi"\n[[locations]]\nname = "Round Rock, TX"\n`;
    expect(parse(town).locations).toEqual([
      { name: "Round Rock, TX", latitude: 30.5083, longitude: -97.6789, proximityKm: 32.187 },
    ]);
    const own = `${town}radius = "3 km"\n[[locations]]\nname = "x"\nlat = 1\nlon = 2\nproximityKm = 4\n`;
    expect(parse(own).locations.map(({ proximityKm }) => proximityKm)).toEqual([3, 4]);
    const many = messageOf(town.replace("Round Rock, TX", "Springfield"));
    expect(many).toMatch(/config\.toml:4: locations\[1\] has no lat and lon, and "Springfield" is the name of \d+ towns: choose one of .*Springfield, IL, US/); // prettier-ignore
    expect(messageOf(town.replace("Round Rock, TX", "Nowhereville"))).toContain(
      "is not a known town of 5,000",
    );
    expect(messageOf(town.replace("20 mi", "20 leagues"))).toContain('such as "20 mi" or "30 km"');
    expect(messageOf(`${town}lat = 1\n`)).toContain("has one of lat and lon: give both");
  });

  test("the template is taken as it stands, and with what was asked for", () => {
    expect(parse(campaignTemplate()).phrases).toEqual(["plumber"]);
    const options = {
      phrases: ['a "b"', "c"],
      locations: [{ name: "O'x \\ y", latitude: -1, longitude: 2.5 }],
      proximityKm: 3,
      sourceFile: "p.jsonl",
    };
    const { phrases, locations, sourceFile } = parse(campaignTemplate(options));
    expect(phrases).toEqual(options.phrases);
    expect(locations).toEqual([{ ...options.locations[0], proximityKm: 3 }]);
    expect(sourceFile).toBe("p.jsonl");
  });

  test("errors are reported with file, line and key, and what to write, all at once", () => {
    const text = `phrases = ["ok", "a/b"]
proximityKm = "far"

[[locations]]
name = "One"
lat = 1
lon = 2

[[locations]]
name = "Two"
lat = 91

[politeness]
delayms = 5
contact = "nobody"
`;
    const lines = messageOf(text).split("\n  ");
    expect(lines).toEqual([
      "5 problems:",
      `${file}:1: phrases[2] must be a phrase, which must contain no / and no control character`,
      `${file}:2: proximityKm must be kilometres from 0 to 1000, such as proximityKm = 20`,
      `${file}:11: locations[2].lat must be degrees north from -90 to 90, such as lat = 30.2672`,
      `${file}:15: politeness.contact must be an e-mail address such as you@example.org, or the URL of a page`,
      `${file}:14: unknown key politeness.delayms; the nearest valid key is politeness.delayMs`,
    ]);
  });

  test("miles are not accepted: the error says which kilometres to write", () => {
    expect(messageOf(`proximity-miles = 10\n${minimal}`)).toBe(
      `${file}:1: distances are in kilometres here: write proximityKm = 16.1 for proximity-miles = 10`,
    );
    expect(messageOf(`proximity = 10\n${minimal}`)).toContain("write proximityKm, in kilometres");
  });

  test("F3: no value shows words of the validator; each says the file, the key and what to write", () => {
    const wrong = [
      "[filters]\nratingMin = 11", "[filters]\nratingMin = -1", '[filters]\nratingMin = "4"',
      "[filters]\nreviewsMin = -1", "[filters]\nreviewsMin = 1.5", "[filters]\nopen = 1",
      '[filters]\ncategories = "plumber"', '[filters]\ncategories = { only = "plumber" }',
      '[filters]\ncategories = { only = [""] }', "[filters]\ncategories = { only = [5] }",
      "[filters]\nchains = 0", "[filters]\npolygon = [[0, 0], [1, 1], [200, 1]]",
      '[filters]\npolygon = [[0, 0], [1, 1], ["a", 1]]', "[filters]\npolygon = [[0, 0], [1, 1], [1]]",
      "[budget]\nrequests = 0", "[budget]\nrequests = 1.5", '[budget]\nhours = "1h"', "[budget]\nhours = -1",
      "[budget]\ndollars = nan", '[budget]\ncompanies = "many"', "[budget]\nhours = inf",
      "[politeness]\ndelayMs = 1", "[politeness]\nconcurrency = 99", "[freshness]\nfoundDays = 0",
      "[exclusions]\ndomains = [5]", "[sources]\nfile = 5", '[sources]\nfile = ""', "[sources]\ndelimiter = 5",
      "[sources]\ncolumns = { name = 5 }", "[sources]\nimported = [5]", "[sources]\nencoding = \"\"",
    ]; // prettier-ignore
    const tables = ["filters", "budget", "politeness", "exclusions", "sources", "freshness", "languages", "tags"]; // prettier-ignore
    for (const text of [...wrong, ...tables.map((name) => `${name} = 5`)]) {
      // A key of the root comes before the tables.
      const whole = text.startsWith("[") ? `${minimal}\n${text}\n` : `${text}\n${minimal}`;
      const message = messageOf(whole);
      expect(message, text).toMatch(/config\.toml:\d+(?::\d+)?: \S+ must be \S/);
      expect(message, text).not.toMatch(/Invalid|expected|received|Too (?:small|big)|undefined/);
    }
  });

  test("B27: an address with a password or key is refused and not repeated: the fleet shares the file", () => {
    const wrong = [
      ['[sources]\nfile = "https://ann:hunter2@h.example/a.csv"', "sources.file"],
      ['[sources]\nfile = "https://h.example/a.csv?X-Amz-Signature=hunter2"', "sources.file"],
      ['[sources.overpass]\nurl = "https://h.example/api?key=hunter2"', "sources.overpass.url"],
    ] as const; // prettier-ignore
    for (const [text, key] of wrong) {
      const message = messageOf(`${minimal}\n${text}\n`);
      expect(message).toContain(`${key} must be an address without a password or key`);
      expect(message).not.toContain("hunter2");
    }
  });

  test("lesson 24: nothing is read half: text is not a number, and no key is skipped", () => {
    expect(messageOf(minimal.replace("30.2672", '"30.2672"'))).toContain(
      "lat must be degrees north",
    );
    expect(messageOf(`${minimal}\n[freshness]\nfoundDays = "0.10"\n`)).toContain(
      "foundDays must be",
    );
    expect(messageOf(`${minimal}\n[extra]\na = 1\n`)).toContain("unknown key extra");
    expect(messageOf("phrases = [")).toMatch(/config\.toml:1:\d+: TOML syntax/);
    expect(messageOf("")).toContain("phrases is missing");
  });
});

describe("a phrase", () => {
  test("is one for everybody, however it was typed", () => {
    expect(toPhrase("  Heating \t Engineer ")).toBe("heating engineer");
    expect(toPhrase("CAFE\u0301")).toBe("café");
    for (const bad of ["", " ", "a/b", "=1+1", "-x", "a\u0007", "x".repeat(101)]) {
      expect(phraseFault(bad), bad).toBeDefined();
    }
    for (const good of ["plumber", "24h dentist", "ресторан", "寿司"]) {
      expect(phraseFault(good), good).toBeUndefined();
    }
  });
});

test("a new campaign overrides no setting", () => {
  const { politeness } = parseCampaign("new", "config.toml", campaignTemplate());
  expect(politeness).toEqual({ delayMs: undefined, concurrency: 1, contact: undefined });
  const own = parseCampaign(
    "own",
    "config.toml",
    campaignTemplate({ politeness: { delayMs: 300 } }),
  );
  expect(own.politeness.delayMs).toBe(300);
});
