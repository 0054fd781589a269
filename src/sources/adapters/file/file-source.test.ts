// inputs: src/sources/** src/base/**
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { matchesPhrase } from "../../match-phrase.ts";
import type { Place } from "../../place-source.ts";
import { createFileSource } from "./file-source.ts";
import { readPlace } from "./read-place.ts";
import { featureRanges, lineRanges, recordBytesMax, type RecordRange } from "./record-ranges.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "forager-places-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return createFileSource({ file });
};
const box = { south: 48.1, west: 11.5, north: 48.2, east: 11.6 };
const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};
const idsOf = async (source: ReturnType<typeof write>, phrase = "plumber", at = box) =>
  (await all(source.find({ box: at, phrase }))).map(({ id }) => id);
const line = (id: string, latitude: number, longitude: number, more = {}) =>
  `${JSON.stringify({ id, name: `Plumber ${id}`, latitude, longitude, ...more })}\n`;
const feature = (id: string, latitude: number, longitude: number, properties = {}) => ({
  type: "Feature",
  id,
  geometry: { type: "Point", coordinates: [longitude, latitude] },
  properties: { name: `Plumber ${id}`, ...properties },
});

describe("places from a file", () => {
  test("JSON lines: those in the box, by what they are", async () => {
    const source = write(
      "p.jsonl",
      line("a", 48.15, 11.55) +
        line("b", 48.25, 11.55) +
        `${JSON.stringify({ id: "c", name: "Zahn", lat: "48.11", lng: "11.51", category: "dentist" })}\n` +
        line("d", 48.1, 11.5).trimEnd(),
    );
    expect(source.name).toBe("file:p.jsonl");
    expect(await idsOf(source)).toEqual(["a", "d"]);
    expect(await idsOf(source, "dentist")).toEqual(["c"]);
    expect(await idsOf(source, "baker")).toEqual([]);
    expect(await source.look("b")).toMatchObject({ name: "Plumber b" });
    expect(await source.look("x")).toBeUndefined();
  });

  test("GeoJSON: a collection, whatever its layout, and features line by line", async () => {
    const features = [
      feature("a", 48.15, 11.55, { note: 'a } "quote\\" ] {' }),
      feature("b", 40, 11.55),
    ];
    const collection = {
      type: "FeatureCollection",
      bbox: [1, 2, 3, 4],
      features,
      more: [{ a: 1 }],
    };
    const texts = {
      "one.geojson": JSON.stringify(collection),
      "two.json": JSON.stringify(collection, null, 2),
      "three.geojson": JSON.stringify({ features, type: "FeatureCollection" }),
      "four.geojsonl": features.map((one) => JSON.stringify(one)).join("\n"),
      "five.geojson": features.map((one) => `\u001e${JSON.stringify(one)}`).join("\n"),
    };
    for (const [name, text] of Object.entries(texts)) {
      const source = write(name, text);
      expect(await idsOf(source), name).toEqual(["a"]);
      expect(await source.survey(), name).toMatchObject({ places: 2, bad: 0 });
    }
  });

  test("lesson 41: what cannot be read is named by its line, and the others are taken", async () => {
    const source = write(
      "p.jsonl",
      `${line("a", 48.15, 11.55)}{"name": "half\n\n[1]\n{"name":"no place"}\n` +
        `{"latitude":1,"longitude":2}\n${line("b", 148.15, 11.55)}${line("c", 48.16, 11.56)}`,
    );
    const { places, bad, badRecords } = await source.survey();
    expect([places, bad]).toEqual([2, 5]);
    expect(badRecords).toEqual([
      { line: 2, reason: expect.stringContaining("not JSON") as string },
      { line: 4, reason: expect.stringContaining("not an object") as string },
      { line: 5, reason: expect.stringContaining("no latitude and longitude") as string },
      { line: 6, reason: "it has no name" },
      { line: 7, reason: expect.stringContaining("not on the earth") as string },
    ]);
    expect(await idsOf(source)).toEqual(["a", "c"]);
  });

  test("a place outside of what is wanted is counted", async () => {
    const source = write("p.jsonl", line("a", 48.15, 11.55) + line("b", 1, 1));
    const survey = await source.survey(({ latitude = 0 }) => latitude > 40);
    expect(survey).toMatchObject({ places: 2, outside: 1 });
  });

  test("a file cut short, or with nothing in it that could be read, is an error and no empty answer", async () => {
    const whole = JSON.stringify({
      type: "FeatureCollection",
      features: [feature("a", 48.15, 11.55)],
    });
    for (const text of [whole.slice(0, -1), whole.slice(0, -30), '{"type":"FeatureCollection"}']) {
      const source = write("p.geojson", text);
      await expect(idsOf(source), text).rejects.toMatchObject({
        kind: "invalid",
        code: "source_file",
      });
    }
    const missing = createFileSource({ file: join(folder, "none.jsonl") });
    await expect(idsOf(missing)).rejects.toThrow(/no such file; check sources\.file/);
  });

  test("a file that has changed is read again", async () => {
    const source = write("p.jsonl", line("a", 48.15, 11.55));
    expect(await idsOf(source)).toEqual(["a"]);
    appendFileSync(join(folder, "p.jsonl"), line("b", 48.15, 11.55));
    expect(await idsOf(source)).toEqual(["a", "b"]);
  });

  test("a record that is far too long is passed over, not held", async () => {
    const source = write(
      "p.jsonl",
      line("big", 48.15, 11.55, { x: "x".repeat(recordBytesMax) }) + line("a", 48.15, 11.55),
    );
    expect(await source.survey()).toMatchObject({ places: 1, bad: 1, badRecords: [{ line: 1 }] });
    expect(await idsOf(source)).toEqual(["a"]);
  });

  test("records are found whatever chunks the bytes come in", async () => {
    const features = Array.from({ length: 5 }, (_, index) =>
      feature(`f${index}`, 48.15, 11.55, { text: 'ü "}]{[\\' }),
    );
    const texts = {
      lines: features.map((one) => JSON.stringify(one)).join("\n\n"),
      document: JSON.stringify({ type: "FeatureCollection", features }, null, 1),
    };
    const cut = (bytes: Buffer, sizes: readonly number[]) =>
      (async function* () {
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const end = at + sizes[turn % sizes.length]!;
          yield bytes.subarray(at, end);
          at = end;
        }
      })();
    const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(sizes, async (chosen) => {
        for (const [kind, read] of [
          ["lines", lineRanges],
          ["document", featureRanges],
        ] as const) {
          const bytes = Buffer.from(texts[kind]);
          const ranges: RecordRange[] = await all(read(cut(bytes, chosen)));
          expect(ranges.map((range) => JSON.parse(range.bytes!.toString()) as unknown)).toEqual(
            features,
          );
          for (const { start, bytes: part } of ranges) {
            expect(bytes.subarray(start, start + part!.length)).toEqual(part);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("a record", () => {
  const placeOf = (value: unknown): Place => {
    const read = readPlace(JSON.stringify(value));
    if (read.kind === "bad") throw new Error(read.reason);
    return read.place;
  };

  test("lesson 38: words that stand for nothing are nothing, and numbers are numbers", () => {
    const place = placeOf({
      name: "A",
      lat: 1,
      lon: 2,
      rating: "4.5",
      reviews: "many",
      website: "None",
      phone: "+49 89 1; +49 89 2",
      city: " ",
      zip: 80331,
    });
    expect(place).toMatchObject({ rating: 4.5, phones: ["+49 89 1", "+49 89 2"], zip: "80331" });
    for (const field of ["reviews", "website", "city"]) expect(place).not.toHaveProperty(field);
  });

  test("what it is may stand in several fields, and how it is stored is none of it", () => {
    const osm = { type: "node", shop: "yes", craft: "plumber;hvac", office: "company" };
    const place = placeOf({ ...osm, name: "A", lat: 1, lon: 2 });
    expect(place.categories).toEqual(["plumber", "hvac", "company"]);
    expect(placeOf({ type: "way", name: "A", lat: 1, lon: 2 })).not.toHaveProperty("categories");
  });

  test("without an id it has one of its own, the same wherever it stands", () => {
    const [a, b, c] = [
      placeOf({ name: "A", lat: 1, lon: 2 }),
      placeOf({ lon: 2, lat: 1.000000001, name: "A", city: "X" }),
      placeOf({ name: "A", lat: 1.1, lon: 2 }),
    ];
    expect(a.id).toMatch(/^file\/[0-9a-f]{20}$/);
    expect(b.id).toBe(a.id);
    expect(c.id).not.toBe(a.id);
  });

  test("whatever the bytes, it is a place or it is bad; nothing is thrown", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.jsonValue().map((one) => JSON.stringify(one)),
        ),
        (text) => {
          expect(["place", "bad"]).toContain(readPlace(text).kind);
        },
      ),
    );
  });
});

describe("a phrase", () => {
  const place = (name: string, more: Partial<Place> = {}): Place => ({ id: "1", name, ...more });

  test("is found in name, categories and description, by words and what is akin to them", () => {
    expect(matchesPhrase(place("Smith Plumbing Inc"), "plumber")).toBe(true);
    expect(matchesPhrase(place("Café Müller"), "cafe muller")).toBe(true);
    expect(
      matchesPhrase(place("X", { categories: ["heating engineers"] }), "heating engineer"),
    ).toBe(true);
    expect(matchesPhrase(place("X", { description: "We are dentists." }), "dentist")).toBe(true);
    expect(matchesPhrase(place("Barber"), "bar")).toBe(false);
    expect(matchesPhrase(place("Plum trees"), "plumber")).toBe(false);
    expect(matchesPhrase(place("Heating"), "heating engineer")).toBe(false);
    expect(matchesPhrase(place("Anything"), "")).toBe(false);
  });
});
