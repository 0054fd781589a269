// inputs: src/sources/** src/bucket/** src/base/**
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createMemoryBucket } from "../../bucket/adapters/memory/memory-bucket.ts";
import type { Bucket } from "../../bucket/index.ts";
import { tileAt } from "../grid.ts";
import { cutPlaces, type CutOptions } from "./cut-places.ts";
import { readArea } from "./place-area.ts";
import { createSnapshotStore } from "./snapshot-store.ts";
import { createSpill } from "./spill.ts";

let folder = "";
let bucket: Bucket;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "forager-cut-"));
  bucket = createMemoryBucket({ clock: systemClock });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const cut = (name: string, text: string | Uint8Array, more: Partial<CutOptions> = {}) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  const store = createSnapshotStore(bucket);
  return cutPlaces({ file, source: "s", name: "s", store, tempFolder: folder, ...more });
};
const line = (id: string, latitude = 48.15, longitude = 11.55) =>
  `${JSON.stringify({ id, name: `P ${id}`, latitude, longitude })}\n`;
const keys = async () => (await bucket.list("places/")).map(({ key }) => key);

describe("cutting a file", () => {
  test("counts what it has and what it leaves out, one line for each reason", async () => {
    const release = await cut(
      "p.jsonl",
      line("a") + line("a") + line("b", 1.05, 1.05) + line("c", 148, 11) + line("d", 0, 0) +
        '{"name":"x"}\n{"name":"y"}\nnonsense\n' +
        `${JSON.stringify({ name: "z", lat: 1, lon: 1, operating_status: "permanently_closed" })}\n`,
    ); // prettier-ignore
    expect(release).toMatchObject({ places: 2, duplicates: 1, closed: 1, bad: 5, outside: 0 });
    expect(release.tiles).toEqual({ "1.0_1.0": 1, "48.1_11.5": 1 });
    expect(release.reasons).toContainEqual({
      reason: "it has no latitude and longitude that are numbers",
      count: 2,
      lines: [6, 7],
    });
  });

  test("a file of which no record is a place is an error, and makes no release", async () => {
    await expect(cut("p.jsonl", '{"a":1}\n{"b":2}\n')).rejects.toThrow(
      /none of its 2 records is a place \(2: it has no name/,
    );
    expect(await keys()).toEqual([]);
  });

  test("a new release removes the oldest ones with their tiles, and never the one that answers", async () => {
    const clock = createTestClock();
    bucket = createMemoryBucket({ clock });
    const store = createSnapshotStore(bucket, { releasesMax: 2 });
    const file = join(folder, "p.jsonl");
    const made: string[] = [];
    // The first has the newest data, so it answers and stays.
    for (const [index, changed] of [
      1_900_000_000, 1_700_000_001, 1_700_000_002, 1_700_000_003,
    ].entries()) {
      writeFileSync(file, line(`p${index}`) + line("b", 1.05, 1.05));
      utimesSync(file, changed, changed);
      const { release } = await cutPlaces({
        file,
        source: "s",
        name: "s",
        store,
        tempFolder: folder,
      });
      made.push(release);
      await clock.advance(5_000);
    }
    const [first, second, third, fourth] = made;
    expect((await store.latest("s"))?.release).toBe(first);
    const left = await keys();
    for (const release of [first, third, fourth]) {
      expect(left.filter((key) => key.includes(release!))).toHaveLength(3);
    }
    expect(left.filter((key) => key.includes(second!))).toEqual([]);
  });

  test("tiles of an import that never ended are removed a day later, and not those of one that runs", async () => {
    const clock = createTestClock();
    bucket = createMemoryBucket({ clock });
    const store = createSnapshotStore(bucket);
    const half = (release: string) => store.write({ source: "s", release, tile: "1.0_1.0" }, Buffer.from("x")); // prettier-ignore
    await half("dead");
    await store.setNewest("other", "1.0_1.0", "r1");
    await clock.advance(86_400_000 - 60_000);
    const file = join(folder, "p.jsonl");
    const options = { file, source: "s", name: "s", store, tempFolder: folder };
    writeFileSync(file, line("a"));
    await cutPlaces(options);
    expect((await keys()).filter((key) => key.includes("dead"))).toHaveLength(1);
    await half("running");
    await clock.advance(120_000);
    writeFileSync(file, line("b"));
    const { release } = await cutPlaces(options);
    const left = await keys();
    expect(left.filter((key) => key.includes("dead"))).toEqual([]);
    expect(left.filter((key) => key.includes("running"))).toHaveLength(1);
    expect(left.filter((key) => key.includes(release))).toHaveLength(2);
    expect(left.filter((key) => key.includes("/newest/"))).toHaveLength(1);
  });

  test("of two releases with equally old data the one that was written last counts", async () => {
    const file = join(folder, "p.jsonl");
    writeFileSync(file, line("a") + line("b", 1.05, 1.05));
    utimesSync(file, 1_700_000_000, 1_700_000_000);
    const clock = createTestClock();
    const store = createSnapshotStore(createMemoryBucket({ clock }));
    const options = { file, source: "s", name: "s", store, tempFolder: folder };
    await cutPlaces({ ...options, area: readArea("48,11,49,12") });
    await clock.advance(5_000);
    const whole = await cutPlaces(options);
    expect((await store.latest("s"))?.release).toBe(whole.release);
  });

  test("an area leaves out the rest and counts it; another area is another release", async () => {
    const text = line("a") + line("b", 1.05, 1.05);
    const area = readArea("48,11,49,12");
    const inside = await cut("p.jsonl", text, { area });
    expect(inside).toMatchObject({ places: 1, outside: 1 });
    const whole = await cut("p.jsonl", text);
    expect(whole).toMatchObject({ places: 2, outside: 0 });
    expect(whole.release).not.toBe(inside.release);
  });

  test("a truncated file leaves no release, and what it wrote is not used", async () => {
    const whole = line("a") + line("b");
    await expect(cut("p.jsonl", whole.slice(0, -20))).rejects.toMatchObject({
      code: "places_file_cut",
    });
    await expect(cut("p.csv", 'name,lat,lon\n"A,1,2\n')).rejects.toMatchObject({
      code: "places_file_cut",
    });
    const features = { type: "FeatureCollection", features: [] };
    const document = JSON.stringify(features);
    await expect(cut("p.geojson", document.slice(0, -1))).rejects.toMatchObject({
      code: "places_file_cut",
    });
    expect((await keys()).filter((key) => key.includes("/releases/"))).toEqual([]);
    expect(readdirSync(folder).filter((name) => name.startsWith("forager-"))).toEqual([]);
  });

  test("a tile with more places than can be read again is an error, and makes no release", async () => {
    const text = Array.from({ length: 20 }, (_, at) => line(`p${at}`)).join("") + line("far", 1, 1);
    await expect(cut("p.jsonl", text, { tileSizeMax: 500 })).rejects.toThrow(
      /the tile 48\.1_11\.5 .*do many rows have the same point\?/,
    );
    expect(await keys()).toEqual([]);
    expect(await cut("p.jsonl", text, { tileSizeMax: 5_000 })).toMatchObject({ places: 21 });
  });

  test("a wrong encoding is reported with what to do; the right one is read", async () => {
    const text = Buffer.from("name;lat;lon\nB\xe4ckerei;48,15;11,55\n", "latin1");
    await expect(cut("p.csv", text)).rejects.toThrow(/not utf-8 text.*--encoding windows-1252/);
    const release = await cut("p.csv", text, { encoding: "windows-1252" });
    expect(release.places).toBe(1);
    await expect(cut("p.csv", text, { encoding: "klingon" })).rejects.toThrow(/no encoding/);
  });

  test("swapped columns are reported, and not taken for places at sea", async () => {
    const austin = 'name,lat,lon\n"A",-97.74,30.26\n"B",-97.75,30.27\n';
    await expect(cut("p.csv", austin)).rejects.toMatchObject({ code: "places_swapped" });
    const one = `${austin}"C",30.26,-97.74\n`;
    expect(await cut("q.csv", one)).toMatchObject({ places: 1, bad: 2 });
    // Exchanged, 11.5 and 48.1 are a point at sea: only the area tells.
    const munich = 'name,lat,lon\n"A",11.5,48.1\n';
    const area = readArea("48,11,49,12");
    await expect(cut("r.csv", munich, { area })).rejects.toMatchObject({ code: "places_swapped" });
  });

  test("poles and the meridian of 180° have their tile", async () => {
    const release = await cut(
      "p.jsonl",
      line("n", 90, 10) + line("s", -90, 10) + line("e", 10, 180) + line("w", 10, -180),
    );
    expect(release.tiles).toEqual({ "-90.0_10.0": 1, "10.0_-180.0": 2, "89.9_10.0": 1 });
  });

  test("lesson 53: every place of a file is in exactly one tile, the same for grid and snapshots", async () => {
    const edge = fc.integer({ min: -890, max: 890 }).map((decidegrees) => decidegrees / 10);
    const latitude = fc.oneof(edge, fc.double({ min: -90, max: 90, noNaN: true }));
    const longitude = fc.oneof(edge, fc.double({ min: -180, max: 180, noNaN: true }));
    const point = fc.record({ latitude, longitude });
    await fc.assert(
      fc.asyncProperty(fc.array(point, { minLength: 1, maxLength: 10 }), async (points) => {
        const real = points.filter((one) => one.latitude !== 0 || one.longitude !== 0);
        fc.pre(real.length > 0);
        const text = real.map((one, at) => line(`p${at}`, one.latitude, one.longitude)).join("");
        const { tiles, release } = await cut("p.jsonl", text);
        const store = createSnapshotStore(bucket);
        const seen: string[] = [];
        for (const tile of Object.keys(tiles)) {
          const found = await store.read({ source: "s", release, tile });
          for (const { id, latitude: lat = 0, longitude: lon = 0 } of found!.places) {
            expect(tileAt({ latitude: lat, longitude: lon }).id).toBe(tile);
            seen.push(id);
          }
        }
        expect(seen.sort()).toEqual(real.map((_, at) => `p${at}`).sort());
      }),
      { numRuns: 60 },
    );
  });

  test("an aborted import leaves nothing that counts, and a repeated one continues", async () => {
    const text = Array.from({ length: 3_000 }, (_, at) => line(`p${at}`, (at % 80) + 0.05, 1)).join(
      "",
    );
    const stop = new AbortController();
    const onProgress: CutOptions["onProgress"] = (now) => {
      if (now.step === "write" && now.tiles === 10) stop.abort(new Error("enough"));
    };
    const stopped = cut("p.jsonl", text, { signal: stop.signal, onProgress });
    await expect(stopped).rejects.toThrow("enough");
    const written = (await keys()).length;
    expect(written).toBeGreaterThanOrEqual(10);
    expect(written).toBeLessThan(80);
    expect(await cut("p.jsonl", text)).toMatchObject({ places: 3_000 });
    expect(await keys()).toHaveLength(81);
  });

  test("progress goes from nothing to all, in three steps", async () => {
    const seen: string[] = [];
    await cut("p.jsonl", line("a") + line("b", 1, 1), {
      onProgress: (now) => {
        const [at, of] =
          now.step === "write" ? [now.tiles, now.tilesTotal] : [now.bytes, now.bytesTotal];
        if (at === of) seen.push(now.step);
      },
    });
    expect(seen).toEqual(["hash", "read", "write"]);
  });
});

test("a spill gives back what was added, in order, though little of it is in memory", async () => {
  await using spill = createSpill(folder, 100);
  const expected = new Map<string, string[]>();
  for (let at = 0; at < 500; at++) {
    const [tile, text] = [`t${at % 7}`, `line ${at} ü`];
    spill.add(tile, text);
    expected.set(tile, [...(expected.get(tile) ?? []), text]);
    await spill.settle();
  }
  for (const tile of spill.tiles()) {
    const lines = expected.get(tile)!;
    expect(await spill.linesOf(tile)).toEqual(lines);
    expect(spill.sizeOf(tile)).toBe(Buffer.byteLength(lines.join("\n")) + 1);
  }
  expect(spill.tiles()).toHaveLength(7);
  // A killed process leaves no file behind.
  expect(readdirSync(folder)).toEqual([]);
});
