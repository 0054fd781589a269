import { describe, expect, test } from "vitest";
import { openTestRecords } from "../testing/test-records.ts";
import { distinctChanges, unmergeCommit } from "../change/unmerge.ts";
import { findDuplicatePairs } from "./find-pairs.ts";
import { mergeDuplicates } from "./merge-duplicates.ts";
import { comparedName, jaroWinkler, nameSimilarity } from "./name-similarity.ts";
import { targetOfKey } from "../testing/company-targets.ts";

const similarity = (a: string, b: string) => nameSimilarity(comparedName(a), comparedName(b));

describe("names", () => {
  test("are alike whatever their legal form, case, accents, order of words and spaces", () => {
    expect(similarity("Müller GmbH & Co. KG", "MUELLER")).toBeGreaterThan(0.9);
    expect(similarity("Müller GmbH & Co. KG", "muller")).toBe(1);
    expect(similarity("Auto Haus Süd", "Autohaus Süd")).toBe(1);
    expect(similarity("Joe's Pizza", "Joes Pizza")).toBe(1);
    expect(similarity("Smith Plumbing", "Plumbing Smith")).toBeGreaterThanOrEqual(0.95);
    expect(similarity("山田歯科", "山田歯科医院")).toBeGreaterThan(0.9);
  });

  test("that agree in generic words alone, or not at all, are not", () => {
    expect(similarity("Anna's Hair Salon", "Berta's Hair Salon")).toBeLessThan(0.6);
    expect(similarity("Hotel Adler", "Hotel Krone")).toBeLessThan(0.5);
    expect(similarity("Shell", "Aral")).toBe(0);
    expect(similarity("", "Aral")).toBe(0);
    expect(jaroWinkler("martha", "marhta")).toBeCloseTo(0.961, 2);
  });
});

interface Given {
  readonly name: string;
  readonly place: string;
  readonly latitude?: number;
  readonly longitude?: number;
  readonly more?: Readonly<Record<string, unknown>>;
}

async function open(given: readonly Given[]) {
  const at = await openTestRecords();
  await at.records.createAll(
    given.map(({ name, place, latitude = 48.1, longitude = 11.5, more }) => ({
      source: `place:${place}`,
      fields: { name, place, latitude, longitude, ...more },
    })),
  );
  const pairs = async () => {
    const found = await findDuplicatePairs(at.index, { limit: 100 });
    return found.map(({ verdict, from, into }) => `${verdict} ${from.name} > ${into.name}`);
  };
  const merging = {
    merge: at.records.merge.bind(at.records),
    duplicatePairs: (options: Parameters<typeof findDuplicatePairs>[1]) =>
      findDuplicatePairs(at.index, options),
  };
  return { ...at, pairs, merging, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

const metres = (count: number) => 48.1 + count / 111_195;

describe("pairs", () => {
  test("of two sources are one if the name is the same and they are next to each other", async () => {
    await using at = await open([
      { name: "Rohr Meyer GmbH", place: "osm/node/1" },
      { name: "Rohr Meyer", place: "overture/a", latitude: metres(140) },
      { name: "Bäckerei Huber", place: "osm/node/2", latitude: 49 },
      { name: "Bäckerei Huber", place: "overture/b", latitude: 49 + 300 / 111_195 },
      { name: "Gasthof Post", place: "osm/node/3", latitude: 50 },
      { name: "Gasthof Krone", place: "overture/c", latitude: 50 },
      { name: "Far Away", place: "osm/node/4", latitude: 51 },
      { name: "Far Away", place: "overture/d", latitude: 51.1 },
    ]);
    expect(await at.pairs()).toEqual([
      "same Rohr Meyer > Rohr Meyer GmbH",
      "review Bäckerei Huber > Bäckerei Huber",
    ]);
  });

  test("by phone: with a word of the name in common, and not across a town", async () => {
    const phone = { "phone/+4989123456": true };
    await using near = await open([
      { name: "Praxis Dr. Weber", place: "osm/node/1", more: phone },
      { name: "Weber Zahnarzt", place: "overture/a", latitude: metres(700), more: phone },
    ]);
    expect(await near.pairs()).toEqual(["same Weber Zahnarzt > Praxis Dr. Weber"]);
    await using other = await open([
      { name: "Dr. Weber", place: "osm/node/1", more: phone },
      { name: "Dr. Schulz", place: "overture/a", latitude: metres(10), more: phone },
    ]);
    expect(await other.pairs()).toEqual([]);
    await using far = await open([
      { name: "Weber Zahnarzt", place: "osm/node/1", more: phone },
      { name: "Weber Zahnarzt", place: "overture/a", latitude: 48.3, more: phone },
    ]);
    expect(await far.pairs()).toEqual(["review Weber Zahnarzt > Weber Zahnarzt"]);
  });

  test("by domain alone are never one; of a portal, or shared by five names, not even asked about", async () => {
    const site = (domain: string) => ({ domain });
    await using two = await open([
      { name: "Walmart", place: "osm/node/1", more: site("walmart.example") },
      { name: "Walmart Fuel Station", place: "overture/a", latitude: metres(900), more: site("walmart.example") },
      { name: "Huber Holz", place: "osm/node/5", latitude: 50, more: site("huber.business.site") },
      { name: "Huber Bau", place: "overture/e", latitude: 50.01, more: site("huber.business.site") },
    ]); // prettier-ignore
    expect(await two.pairs()).toEqual(["review Walmart Fuel Station > Walmart"]);
    await using many = await open(
      ["Alpha One", "Alpha Two", "Alpha Three", "Alpha Four", "Alpha Five"].map((name, at) => ({
        name,
        place: at % 2 === 0 ? `osm/node/${at}` : `overture/${at}`,
        latitude: metres(at * 450),
        more: site("alpha.example"),
      })),
    );
    expect(await many.pairs()).toEqual([]);
  });

  test("house numbers that differ, another website, a chain, or one source: a person decides", async () => {
    await using at = await open([
      { name: "Salon Rosa", place: "osm/node/1", more: { street: "Hauptstraße 1" } },
      { name: "Salon Rosa", place: "overture/a", latitude: metres(100), more: { street: "Hauptstraße 9" } },
      { name: "Kaffee Blau", place: "osm/node/2", latitude: 49, more: { domain: "blau.example" } },
      { name: "Kaffee Blau", place: "overture/b", latitude: 49 + 120 / 111_195, more: { domain: "azul.example" } },
      { name: "Laden Gelb", place: "osm/node/3", latitude: 50 },
      { name: "Laden Gelb", place: "osm/node/4", latitude: 50.0001 },
    ]); // prettier-ignore
    expect((await at.pairs()).map((pair) => pair.split(" ")[0])).toEqual([
      "review",
      "review",
      "review",
    ]);
  });
});

describe("resolving", () => {
  test("makes one company of two, which keeps both places; the sources do not make the other again", async () => {
    await using at = await open([
      { name: "Rohr Meyer", place: "osm/node/1", more: { city: "München" } },
      { name: "Rohr Meyer", place: "overture/a", more: { "phone/+4989123456": true } },
    ]);
    expect(await mergeDuplicates(at.merging, { isDryRun: true })).toEqual({ merged: 1, left: 0 });
    expect(await mergeDuplicates(at.merging)).toEqual({ merged: 1, left: 0 });
    const company = (await at.records.company("rohr-meyer"))!;
    expect(company.places).toEqual(["osm/node/1", "overture/a"]);
    expect(company.phones).toHaveLength(1);
    const again = await at.records.create({
      source: "place:overture/a",
      fields: { name: "Rohr Meyer", place: "overture/a", latitude: 48.1, longitude: 11.5 },
    });
    expect(again).toMatchObject({ outcome: "known", target: company.target });
    expect((await at.records.company(company.target))?.texts.place).toBe("osm/node/1");
    expect(await mergeDuplicates(at.merging)).toEqual({ merged: 0, left: 0 });
  });

  test("three sources become one; two of one source stay two", async () => {
    await using at = await open([
      { name: "Rohr Meyer", place: "osm/node/1" },
      { name: "Rohr Meyer", place: "overture/a" },
      { name: "Rohr Meyer", place: "fsq/x" },
      { name: "Rohr Meyer", place: "osm/node/2", latitude: metres(20) },
    ]);
    const { merged, left } = await mergeDuplicates(at.merging);
    expect(merged).toBe(2);
    expect(left).toBeGreaterThan(0);
    const { merged: more } = await mergeDuplicates(at.merging);
    expect(more).toBe(0);
  });

  test("what a person called distinct is neither merged nor asked about again", async () => {
    await using at = await open([
      { name: "Rohr Meyer", place: "osm/node/1" },
      { name: "Rohr Meyer", place: "overture/a" },
    ]);
    const changes = distinctChanges(targetOfKey("osm.node.1"), targetOfKey("overture.a"));
    await at.records.write({ source: "hand:anna", changes });
    expect(await at.pairs()).toEqual([]);
    expect(await mergeDuplicates(at.merging)).toEqual({ merged: 0, left: 0 });
  });

  test("a merge can be undone: each has its own again, and they stay apart", async () => {
    await using at = await open([
      { name: "Rohr Meyer", place: "osm/node/1", more: { city: "München" } },
      { name: "Rohr Meyer", place: "overture/a", more: { "phone/+4989123456": true, zip: "80331" } },
    ]); // prettier-ignore
    const [stays, went] = [targetOfKey("osm.node.1"), targetOfKey("overture.a")];
    await mergeDuplicates(at.merging);
    await at.records.write({
      source: "hand:anna",
      changes: [{ target: stays, field: "zip", value: "80333" }],
    });
    const views = [await at.ledger.read(went), await at.ledger.read(stays)] as const;
    await at.records.write(unmergeCommit(...views, "hand:anna"));
    const [kept, back] = [await at.records.company(stays), await at.records.company(went)];
    expect(back).toMatchObject({ target: went, name: "Rohr Meyer", texts: { zip: "80331" } });
    expect(back?.phones).toHaveLength(1);
    expect(kept?.phones).toEqual([]);
    expect(kept?.texts.zip).toBe("80333"); // changed since, so it stays
    expect(kept?.places).toEqual(["osm/node/1"]);
    expect(await mergeDuplicates(at.merging)).toEqual({ merged: 0, left: 0 });
    expect(() => unmergeCommit(...views, "hand:anna")).not.toThrow();
    const after = [await at.ledger.read(went), await at.ledger.read(stays)] as const;
    expect(() => unmergeCommit(...after, "hand:anna")).toThrow(/was not merged/);
  });
});
