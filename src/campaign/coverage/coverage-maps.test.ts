// inputs: src/campaign/** src/sources/** src/records/** src/base/** test/fixtures/kml/**
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { validateXML } from "xmllint-wasm";
import { createCompanyWriter } from "../../records/index.ts";
import { sampleCompany } from "../../records/testing/sample-records.ts";
import { attributionsOf, boxOf, parseTileId, tileAt } from "../../sources/index.ts";
import type { CoverageCell } from "./coverage.ts";
import { coverageGeoJson, coverageKml, ringOf } from "./coverage-maps.ts";

const schemaFile = (fileName: string) => ({
  fileName,
  contents: readFileSync(
    new URL(`../../../test/fixtures/kml/${fileName}`, import.meta.url),
    "utf8",
  ),
});

/** By the OGC's schema of KML 2.2. */
async function kmlFaults(contents: string): Promise<readonly string[]> {
  const { errors } = await validateXML({
    xml: [{ fileName: "map.kml", contents }],
    schema: [schemaFile("ogckml22.xsd")],
    preload: [schemaFile("atom-author-link.xsd"), schemaFile("xAL-stub.xsd")],
  });
  return errors.map(({ message }) => message);
}

const cell = (id: string, parts: Partial<CoverageCell> = {}): CoverageCell => ({
  tile: parseTileId(id)!,
  phrase: 'fish & "chips" <b>',
  state: "fresh",
  found: 3,
  at: "2026-11-16T00:00:00.000Z",
  expires: "2027-02-14T00:00:00.000Z",
  ...parts,
});
const never: CoverageCell = {
  tile: parseTileId("89.9_-180.0")!,
  phrase: "plumber",
  state: "never",
  found: 0,
};
const cells = [
  cell("0.0_0.0"),
  cell("-0.1_-0.1", { state: "empty", found: 0 }),
  cell("-90.0_179.9", { state: "expired" }),
  cell("30.2_-97.8", { state: "failed" }),
  never,
];

describe("coverage as KML", () => {
  test("is valid by the schema of the OGC, with phrases that hold markup", async () => {
    const text = [...coverageKml("austin <1>", cells, attributionsOf(["osm/"]))].join("");
    expect(await kmlFaults(text)).toEqual([]);
    expect(text).toContain("<Folder><name>© OpenStreetMap contributors</name><description>");
    expect(text).toContain("<Folder><name>fish &amp; &quot;chips&quot; &lt;b&gt;</name>");
    expect(text).toContain(
      "<TimeSpan><begin>2026-11-16T00:00:00.000Z</begin><end>2027-02-14T00:00:00.000Z</end></TimeSpan>",
    );
    expect(await kmlFaults(text.replaceAll("<styleUrl>", "<wrong>"))).not.toEqual([]);
    expect(await kmlFaults(text.replace("8050b040", "zz"))).not.toEqual([]);
  });

  test("companies as KML are valid too; those without a point are left out", async () => {
    const writer = createCompanyWriter({ format: "kml" });
    const place = { latitude: 48.1, longitude: -180 };
    const rows = [
      sampleCompany("a", {
        name: "A\u0000 & <b>",
        numbers: place,
        emails: [{ value: "a@b.test" }],
      }),
      sampleCompany("b", { numbers: {} }),
    ].map((one) => writer.row(one));
    expect(rows[1]).toBeUndefined();
    expect(await kmlFaults(writer.begin + rows[0]! + writer.end(attributionsOf(["osm/"])))).toEqual(
      [],
    );
  });
});

test("coverage as GeoJSON: closed rings, counter-clockwise, longitude first, never beyond 180°", () => {
  const map = JSON.parse([...coverageGeoJson(cells)].join("")) as {
    readonly type: string;
    readonly features: readonly {
      readonly id: string;
      readonly geometry: { readonly type: string; readonly coordinates: number[][][] };
      readonly properties: { readonly tile: string; readonly state: string };
    }[];
  };
  expect(map.type).toBe("FeatureCollection");
  expect(map.features.map(({ properties }) => properties.state)).toEqual(
    cells.map(({ state }) => state),
  );
  for (const { geometry } of map.features) {
    const [ring = []] = geometry.coordinates;
    expect(geometry.type).toBe("Polygon");
    expect(ring).toHaveLength(5);
    expect(ring[0]).toEqual(ring[4]);
    const area = ring
      .slice(1)
      .reduce((sum, [x = 0, y = 0], at) => sum + (ring[at]![0]! * y - x * ring[at]![1]!), 0);
    expect(area).toBeGreaterThan(0);
    for (const [longitude = NaN, latitude = NaN] of ring) {
      expect(Math.abs(longitude)).toBeLessThanOrEqual(180);
      expect(Math.abs(latitude)).toBeLessThanOrEqual(90);
    }
  }
});

test.each([
  [0, 0],
  [0.05, 0.05],
  [-0.05, -0.05],
  [0.05, -0.05],
  [30.2672, -97.7431],
  [48.1, 180],
  [48.1, -180],
  [48.1, 179.95],
  [90, 0],
  [89.95, -180],
  [-90, 180],
  [-89.95, 12.3],
])("tile id, cell and ring agree at %d, %d", (latitude, longitude) => {
  const tile = tileAt({ latitude, longitude });
  const { south, west, north, east } = boxOf(tile);
  const [southWest, , northEast] = ringOf(tile);
  expect(tile.id).toBe(`${south.toFixed(1)}_${west.toFixed(1)}`);
  expect(parseTileId(tile.id)).toEqual(tile);
  expect(southWest).toEqual([west, south]);
  expect(northEast).toEqual([east, north]);
  const within = longitude === 180 ? -180 : longitude;
  expect(latitude).toBeGreaterThanOrEqual(south);
  expect(latitude).toBeLessThanOrEqual(north);
  expect(within).toBeGreaterThanOrEqual(west);
  expect(within).toBeLessThan(east);
});
