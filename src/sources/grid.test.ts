// inputs: src/sources/** src/base/**
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  boxOf,
  centreOf,
  compareTiles,
  parseTileId,
  tileAt,
  tilesAround,
  type Point,
} from "./grid.ts";

const at = (latitude: number, longitude: number) => tileAt({ latitude, longitude }).id;
const anyPoint: fc.Arbitrary<Point> = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});
const anyTile = fc
  .record({
    row: fc.integer({ min: -900, max: 899 }),
    column: fc.integer({ min: -1800, max: 1799 }),
  })
  .map(({ row, column }) => tileAt({ latitude: (row + 0.5) / 10, longitude: (column + 0.5) / 10 }));

/** Great circle, by the haversine. */
function kmBetween(a: Point, b: Point): number {
  const [p, q] = [(a.latitude * Math.PI) / 180, (b.latitude * Math.PI) / 180];
  const dLon = ((b.longitude - a.longitude) * Math.PI) / 180;
  const h = Math.sin((q - p) / 2) ** 2 + Math.cos(p) * Math.cos(q) * Math.sin(dLon / 2) ** 2;
  return 2 * 6_371.0088 * Math.asin(Math.min(1, Math.sqrt(h)));
}

describe("a tile", () => {
  test("is named by its south-western corner, also where the numbers are awkward", () => {
    expect(at(30.2672, -97.7431)).toBe("30.2_-97.8");
    expect(at(30.3, -97.7)).toBe("30.3_-97.7");
    expect(at(2.3, 22.9)).toBe("2.3_22.9");
    expect(at(0.3 - 0.1, 0.3 - 0.1)).toBe("0.2_0.2");
    expect(at(-0.05, -0.05)).toBe("-0.1_-0.1");
    expect(at(0, 0)).toBe("0.0_0.0");
    expect(at(-0, -0)).toBe("0.0_0.0");
    expect(at(48.1, 11.5)).toBe("48.1_11.5");
  });

  test("poles are in the last row, the meridian of 180° is in the first column", () => {
    expect(at(90, 10)).toBe("89.9_10.0");
    expect(at(-90, 10)).toBe("-90.0_10.0");
    expect(at(10, 180)).toBe("10.0_-180.0");
    expect(at(10, -180)).toBe("10.0_-180.0");
    expect(at(10, 179.99)).toBe("10.0_179.9");
  });

  test("every edge of the grid is the southern and western edge of its own tile", () => {
    for (let decidegrees = -900; decidegrees < 900; decidegrees++) {
      expect(tileAt({ latitude: decidegrees / 10, longitude: 0.05 }).south).toBe(decidegrees);
    }
    for (let decidegrees = -1_800; decidegrees < 1_800; decidegrees++) {
      expect(tileAt({ latitude: 0.05, longitude: decidegrees / 10 }).west).toBe(decidegrees);
    }
  });

  test("lesson 53: it is drawn where it is counted: its box holds its points and no others", () => {
    fc.assert(
      fc.property(anyPoint, (point) => {
        const tile = tileAt(point);
        const { south, west, north, east } = boxOf(tile);
        const isAround = point.longitude > 180 - 1e-9;
        const longitude = isAround ? point.longitude - 360 : point.longitude;
        const near = 1e-9;
        expect(point.latitude).toBeGreaterThanOrEqual(south - near);
        expect(point.latitude).toBeLessThanOrEqual(north + near);
        expect(longitude).toBeGreaterThanOrEqual(west - near);
        expect(longitude).toBeLessThanOrEqual(east + near);
        expect(tileAt(centreOf(tile))).toEqual(tile);
        expect(tileAt({ latitude: south, longitude: west })).toEqual(tile);
      }),
    );
  });

  test("its id is read back, and only as it is written", () => {
    fc.assert(
      fc.property(anyTile, (tile) => {
        expect(parseTileId(tile.id)).toEqual(tile);
      }),
    );
    const wrong = [
      "",
      "30.2",
      "30.25_1.0",
      "030.2_1.0",
      "-0.0_1.0",
      "90.0_0.0",
      "1.0_180.0",
      "1_2",
      "-90.1_0.0",
      "1.0_1.0/..",
    ];
    for (const id of wrong) expect(parseTileId(id), id).toBeUndefined();
  });
});

describe("the tiles around a location", () => {
  test("are those of the box snapped outwards", () => {
    const ids = tilesAround({ latitude: 48.15, longitude: 11.55 }, 6).map(({ id }) => id);
    expect(ids).toEqual([
      "48.0_11.4", "48.0_11.5", "48.0_11.6",
      "48.1_11.4", "48.1_11.5", "48.1_11.6",
      "48.2_11.4", "48.2_11.5", "48.2_11.6",
    ]); // prettier-ignore
    expect(tilesAround({ latitude: 48.15, longitude: 11.55 }, 0).map(({ id }) => id)).toEqual([
      "48.1_11.5",
    ]);
    expect(tilesAround({ latitude: 48.1, longitude: 11.5 }, 0).map(({ id }) => id)).toEqual([
      "48.1_11.5",
    ]);
  });

  test("hold everything within the distance, wherever on earth, and each once", () => {
    const bearing = fc.double({ min: 0, max: 2 * Math.PI, noNaN: true });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        anyPoint,
        fc.double({ min: 0, max: 60, noNaN: true }),
        bearing,
        share,
        (from, km, angle, part) => {
          fc.pre(Math.abs(from.latitude) < 88.5);
          const to = pointAt(from, km * part, angle);
          const tiles = tilesAround(from, km);
          const ids = new Set(tiles.map(({ id }) => id));
          expect(ids.size).toBe(tiles.length);
          expect(kmBetween(from, to)).toBeLessThanOrEqual(km + 0.001);
          expect([...ids]).toContain(tileAt(to).id);
          expect(ids.has(tileAt(from).id)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("are as many as the latitude needs: near the poles a degree of longitude is short", () => {
    const columns = (latitude: number) =>
      new Set(tilesAround({ latitude, longitude: 10.05 }, 50).map(({ west }) => west)).size;
    expect([0, 60, 80].map(columns)).toEqual([9, 19, 53]);
  });

  test("continue across the meridian of 180°", () => {
    const ids = tilesAround({ latitude: -16.75, longitude: 179.97 }, 10).map(({ id }) => id);
    expect(ids).toContain("-16.8_179.9");
    expect(ids).toContain("-16.8_-180.0");
    expect(ids.filter((id) => !/_-?1(?:79|80)\./.test(id))).toEqual([]);
  });

  test("go all around the earth at a pole", () => {
    const tiles = tilesAround({ latitude: 89.95, longitude: 0 }, 10);
    expect(new Set(tiles.map(({ west }) => west)).size).toBe(3_600);
    expect(Math.max(...tiles.map(({ south }) => south))).toBe(899);
  });

  test("too many are refused before they are made, with what to change", () => {
    expect(() => tilesAround({ latitude: 0, longitude: 0 }, 5_000)).toThrow(/proximityKm smaller/);
  });

  test("have one order, however they were found", () => {
    const tiles = tilesAround({ latitude: 48.15, longitude: 11.55 }, 30);
    expect([...tiles].reverse().sort(compareTiles)).toEqual(tiles);
  });
});

/** Where one comes to on a great circle. */
function pointAt({ latitude, longitude }: Point, km: number, bearing: number): Point {
  const [lat, lon, d] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180, km / 6_371.0088];
  const to = Math.asin(
    Math.sin(lat) * Math.cos(d) + Math.cos(lat) * Math.sin(d) * Math.cos(bearing),
  );
  const turn = Math.atan2(
    Math.sin(bearing) * Math.sin(d) * Math.cos(lat),
    Math.cos(d) - Math.sin(lat) * Math.sin(to),
  );
  const degrees = ((lon + turn) * 180) / Math.PI;
  return {
    latitude: (to * 180) / Math.PI,
    longitude: ((((degrees + 180) % 360) + 360) % 360) - 180,
  };
}
