import { describe, expect, test } from "vitest";
import { parseTileId, tileAt, type Tile } from "../grid.ts";
import type { Place } from "../place.ts";
import type { PlaceSource } from "../place-source.ts";

export interface PlaceSourceSuiteOptions {
  readonly name: string;
  /** Opens a source with exactly these places. */
  readonly open: (places: readonly Place[]) => Promise<PlaceSource>;
  /** Opens a source that fails in the middle of reading. */
  readonly openBroken: (places: readonly Place[]) => Promise<PlaceSource>;
  /** The source's id for the place that this suite calls `id`; absent: the same. */
  readonly idOf?: (id: string) => string;
}

const tile = (id: string): Tile => parseTileId(id)!;
const ids = (places: readonly Place[]) => places.map(({ id }) => id).sort();
const same = (id: string) => id;

/** The contract of PlaceSource for sources that answer areas, clause by clause. */
export function placeSourceSuite(options: PlaceSourceSuiteOptions): void {
  const { name, open, openBroken, idOf = same } = options;
  const at = (
    id: string,
    latitude: number,
    longitude: number,
    more: Partial<Place> = {},
  ): Place => ({ id: idOf(id), name: `Place ${id}`, latitude, longitude, ...more });
  const named = (...list: readonly string[]) => list.map(idOf).sort();
  const area = async (source: PlaceSource, id: string, signal?: AbortSignal) => {
    if (!source.area) throw new Error(`${source.name} answers no areas`);
    return await source.area(tile(id), signal);
  };

  describe(`PlaceSource: ${name}`, () => {
    test("a tile has all of its places, with all that was said about them", async () => {
      const one = at("a", 48.15, 11.55, {
        phones: ["+49 89 1", "+49 89 2"],
        categories: ["Plumber"],
        website: "https://gärtnerei.example/",
        city: "München",
      });
      const source = await open([one, at("b", 48.151, 11.551), at("c", 48.25, 11.55)]);
      const found = await area(source, "48.1_11.5");
      expect(ids(found.places)).toEqual(named("a", "b"));
      expect(found.places.find(({ id }) => id === idOf("a"))).toEqual(one);
      expect(found.outside).toBe(0);
    });

    test("tiles are half-open: every place is in exactly one of them", async () => {
      const points = [
        [48.1, 11.5],
        [48.2, 11.5],
        [48.1, 11.6],
        [48.19999, 11.59999],
        [-0.05, -0.05],
        [90, 10],
        [-90, 10],
        [10.05, 180],
        [10.05, -180],
      ] as const;
      const places = points.map(([latitude, longitude], index) =>
        at(`p${index}`, latitude, longitude),
      );
      const source = await open(places);
      const tiles = new Map(
        places.map(({ latitude = 0, longitude = 0 }) => {
          const found = tileAt({ latitude, longitude });
          return [found.id, found] as const;
        }),
      );
      const seen: string[] = [];
      for (const one of tiles.values()) {
        for (const { id, latitude = 0, longitude = 0 } of (await source.area!(one)).places) {
          expect(tileAt({ latitude, longitude }).id).toBe(one.id);
          seen.push(id);
        }
      }
      expect(seen.sort()).toEqual(ids(places));
    });

    test("a tile with nothing in it is an answer, with the release it comes from", async () => {
      const source = await open([at("a", 48.15, 11.55)]);
      const [empty, full] = [await area(source, "1.0_1.0"), await area(source, "48.1_11.5")];
      expect(empty.places).toEqual([]);
      expect(empty.release).toBe(full.release);
      expect(full.release).not.toBe("");
    });

    test("lesson 42: what cannot be read to its end is an error, never a part", async () => {
      const source = await openBroken([at("a", 48.15, 11.55), at("b", 48.16, 11.56)]);
      await expect(area(source, "48.1_11.5")).rejects.toMatchObject({ name: "AppError" });
      expect(await source.check()).toMatchObject({ status: "bad" });
    });

    test("ids stay the same when it is asked again", async () => {
      const places = [at("a", 48.15, 11.55), at("b", 48.15, 11.56)];
      const [first, second] = [await open(places), await open(places)];
      expect(ids((await area(first, "48.1_11.5")).places)).toEqual(
        ids((await area(second, "48.1_11.5")).places),
      );
      expect(first.key).toBe(second.key);
    });

    test("a place is looked up by its id, with or without its tile", async () => {
      const source = await open([at("a", 48.15, 11.55), at("b", 1.05, 1.05)]);
      const id = idOf("b");
      expect(await source.look(id)).toMatchObject({ id, name: "Place b" });
      expect(await source.look(id, { tile: tile("1.0_1.0") })).toMatchObject({ id });
      expect(await source.look(idOf("none"))).toBeUndefined();
    });

    test("an aborted call ends with the reason, and asks nothing", async () => {
      const source = await open([at("a", 48.15, 11.55)]);
      const reason = new Error("enough");
      const signal = AbortSignal.abort(reason);
      await expect(area(source, "48.1_11.5", signal)).rejects.toBe(reason);
      await expect(source.look(idOf("a"), { signal })).rejects.toBe(reason);
    });

    test("several may ask at once", async () => {
      const source = await open([at("a", 48.15, 11.55), at("b", 48.25, 11.55)]);
      const tiles = ["48.1_11.5", "48.2_11.5", "48.1_11.5", "1.0_1.0"];
      const found = await Promise.all(tiles.map((id) => area(source, id)));
      expect(found.map(({ places }) => ids(places))).toEqual([
        named("a"),
        named("b"),
        named("a"),
        [],
      ]);
    });

    test("it says that it is well, and whose data it is", async () => {
      const source = await open([at("a", 48.15, 11.55)]);
      expect(await source.check()).toMatchObject({ status: "good" });
      expect(source.attribution).toMatchObject({ licence: expect.any(String) as string });
      expect(source.key).toMatch(/^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/);
    });
  });
}
