import { expect, test } from "vitest";
import { openTestLedger } from "../../ledger/testing/test-ledger.ts";
import { parseTileId, neighbourTiles, type PlaceSource } from "../../sources/index.ts";
import { markClosed, type TileCompany } from "./closed-places.ts";

const tile = parseTileId("48.1_11.5")!;
const { signal } = new AbortController();
const phrases = new Set(["plumber"]);

interface Sample {
  /** Of the release: ids by tile. */
  readonly tiles: Readonly<Record<string, readonly string[]>>;
  readonly hasGate?: boolean;
  readonly temporarilyClosed?: readonly string[];
  readonly ofFile?: string;
}

const file = "file.munich.1";

async function createWorld(ids: readonly string[], alsoIn: readonly string[] = []) {
  const ledger = await openTestLedger();
  const targetOf = (id: string) => `company/${id.replace("/", "-")}`;
  const status = async (id: string) =>
    (await ledger.read(targetOf(id))).fields.find(({ field }) => field === "status")?.value;
  const companiesIn = async (): Promise<readonly TileCompany[]> =>
    Promise.all(
      ids.map(async (id) => ({
        target: targetOf(id),
        places: id.split("+"),
        found: [file, ...alsoIn].map((one) => {
          return { phrase: "plumber", source: "file:p.jsonl", file: one };
        }),
        isClosed: (await status(id)) === "closed",
        hasStatus: (await status(id)) !== undefined,
      })),
    );
  const closing = { companiesIn, write: (commit: never) => ledger.write(commit) };
  const look = async ({
    tiles,
    hasGate = false,
    temporarilyClosed = [],
    ofFile = file,
  }: Sample) => {
    const source = {
      name: "file:p.jsonl",
      ...(hasGate && { gate: { key: "g", delayMs: 1, limit: 1 } }),
      area: async ({ id }: { readonly id: string }) => ({
        places: (tiles[id] ?? []).map((one) => ({ id: one, name: one })),
      }),
    } as unknown as PlaceSource;
    const places = new Set(tiles[tile.id] ?? []);
    const release = { tile, source, places, phrases, signal, file: ofFile };
    const closed = new Set(temporarilyClosed);
    return await markClosed({ ledger, closing }, { ...release, temporarilyClosed: closed });
  };
  return { ledger, look, status, targetOf, [Symbol.asyncDispose]: () => ledger.close() };
}

test("B28: a place that is gone closes its company once; one that returns opens it again", async () => {
  await using at = await createWorld(["osm/1", "osm/2"]);
  expect(await at.look({ tiles: { [tile.id]: ["osm/1", "osm/2"] } })).toBe(0);
  expect(await at.look({ tiles: { [tile.id]: ["osm/1"] } })).toBe(1);
  expect([await at.status("osm/1"), await at.status("osm/2")]).toEqual([undefined, "closed"]);
  const { fields } = await at.ledger.read(at.targetOf("osm/2"));
  expect(fields).toMatchObject([{ field: "status", source: "place:osm/2" }]);
  expect(await at.look({ tiles: { [tile.id]: ["osm/1"] } })).toBe(0);
  expect(await at.look({ tiles: { [tile.id]: ["osm/1", "osm/2"] } })).toBe(0);
  expect(await at.status("osm/2")).toBeUndefined();
});

test("a campaign's file closes nothing that another campaign found in a file of the same name", async () => {
  await using at = await createWorld(["osm/1", "osm/2"]);
  const tiles = { [tile.id]: ["osm/1"] };
  expect(await at.look({ tiles, ofFile: "file.berlin.1" })).toBe(0);
  expect(await at.status("osm/2")).toBeUndefined();
  expect(await at.look({ tiles })).toBe(1);
});

test("a company that another campaign found in a file of its own is not closed", async () => {
  const tiles = { [tile.id]: ["osm/1"] };
  await using shared = await createWorld(["osm/1", "osm/2"], ["file.berlin.1"]);
  expect(await shared.look({ tiles })).toBe(0);
  expect(await shared.status("osm/2")).toBeUndefined();
  await using renamed = await createWorld(["osm/1", "osm/2"], ["file.munich.2"]);
  expect(await renamed.look({ tiles })).toBe(1);
});

test("a company that was closed for a time is open again when its place is", async () => {
  await using at = await createWorld(["osm/1", "osm/2"]);
  const change = { target: at.targetOf("osm/1"), field: "status", value: "temporarily closed" };
  await at.ledger.write({ source: "place:osm/1", changes: [change] });
  const tiles = { [tile.id]: ["osm/1", "osm/2"] };
  await at.look({ tiles, temporarilyClosed: ["osm/1"] });
  expect(await at.status("osm/1")).toBe("temporarily closed");
  await at.look({ tiles });
  expect(await at.status("osm/1")).toBeUndefined();
});

test("what a person wrote about a company stays", async () => {
  await using at = await createWorld(["osm/1"]);
  const change = { target: at.targetOf("osm/1"), field: "status", value: "closed" };
  await at.ledger.write({ source: "hand:anna", changes: [change] });
  await at.look({ tiles: { [tile.id]: ["osm/1"] } });
  expect(await at.status("osm/1")).toBe("closed");
});

test("a company with places of two sources, or whose place has no id of its own, is not closed", async () => {
  await using at = await createWorld(["osm/1+overture/2", "file/0123"]);
  expect(await at.look({ tiles: {} })).toBe(0);
});

test("a place that moved into the next tile is not closed", async () => {
  await using at = await createWorld(["osm/1"]);
  const east = neighbourTiles(tile).find(({ id }) => id === "48.1_11.6")!;
  expect(await at.look({ tiles: { [east.id]: ["osm/1"] } })).toBe(0);
  // A server is not asked for eight more tiles.
  expect(await at.look({ tiles: { [east.id]: ["osm/1"] }, hasGate: true })).toBe(1);
});

test("if most of a tile is gone, the release is taken for incomplete", async () => {
  const ids = Array.from({ length: 12 }, (_, number) => `osm/${number}`);
  await using at = await createWorld(ids);
  expect(await at.look({ tiles: { [tile.id]: ids.slice(0, 5) } })).toBe(0);
  expect(await at.look({ tiles: { [tile.id]: ids.slice(0, 7) } })).toBe(5);
});

test("tiles beside one: eight, five at a pole, and around the meridian of 180°", () => {
  expect(neighbourTiles(tile)).toHaveLength(8);
  expect(neighbourTiles(parseTileId("89.9_0.0")!)).toHaveLength(5);
  const ids = neighbourTiles(parseTileId("0.0_-180.0")!).map(({ id }) => id);
  expect(ids).toContain("-0.1_179.9");
  expect(new Set(ids).size).toBe(8);
});
