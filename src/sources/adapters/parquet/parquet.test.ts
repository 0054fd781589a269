// inputs: src/sources/** src/base/**
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSeededRandom } from "../../../base/random.ts";
import type { Box } from "../../grid.ts";
import type { Place } from "../../place.ts";
import { createHttpFile } from "./range-file.ts";
import { openParquetReader, type ReadParquetOptions } from "./read-parquet.ts";
import { copySparse as copyFrom, type SparseCopyOptions } from "./sparse-copy.ts";
import { overtureQuery, serveFile, wkb, writeParquet } from "./testing/parquet-files.ts";

let folder = "";
let overture = "";
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "forager-parquet-"));
  overture = join(folder, "overture.parquet");
  await writeParquet(overture, overtureQuery(20_000));
});
const reader = openParquetReader();
afterAll(async () => {
  await reader[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});
const readParquet = (options: ReadParquetOptions) => reader.places(options);

interface Copied extends Omit<SparseCopyOptions, "from" | "reader"> {
  readonly url: string;
}
const copySparse = ({ url, ...rest }: Copied) =>
  copyFrom({ from: createHttpFile(url, "forager/test"), reader, ...rest });

async function read(file: string, boxes: readonly Box[] = [], minConfidence?: number) {
  const found = { places: [] as Place[], closed: 0, bad: [] as string[] };
  const options = { file, boxes, ...(minConfidence !== undefined && { minConfidence }) };
  for await (const batch of readParquet(options)) {
    for (const { read: one } of batch) {
      if (one.kind === "place") found.places.push(one.place);
      else if (one.kind === "closed") found.closed += 1;
      else found.bad.push(one.reason);
    }
  }
  return found;
}

const box = (south: number, west: number, size = 0.1): Box => ({
  south,
  west,
  north: south + size,
  east: west + size,
});

describe("a Parquet file", () => {
  test("of Overture: all that it says, without closed places and those it doubts itself", async () => {
    const { places, closed, bad } = await read(overture);
    expect(bad).toEqual([]);
    expect(places).toHaveLength(16_000);
    expect(closed).toBe(2_000);
    expect(places.find(({ id }) => id === "overture/g2")).toMatchObject({
      name: "Shop 2",
      website: "https://shop2.example/",
      phones: ["+15125550002"],
      street: "2 Main St",
      city: "Austin",
      zip: "78701",
      country: "US",
      categories: ["plumbing", "hvac_services"],
      confidence: 0.9,
      latitude: expect.closeTo(30.0004, 6) as number,
      longitude: expect.closeTo(-96.4162, 6) as number,
    });
    expect((await read(overture, [], 0)).places).toHaveLength(18_000);
  });

  test("only what may lie in a box is read", async () => {
    const { places } = await read(overture, [box(31, -97, 0.5)]);
    expect(places.length).toBeGreaterThan(50);
    for (const { latitude = 0, longitude = 0 } of places) {
      expect(latitude).toBeGreaterThan(30.999);
      expect(latitude).toBeLessThan(31.501);
      expect(longitude).toBeGreaterThan(-97.001);
      expect(longitude).toBeLessThan(-96.499);
    }
  });

  test("with the older categories, of Foursquare, and with nothing but names and points", async () => {
    const old = join(folder, "old.parquet");
    await writeParquet(
      old,
      `select 'x' as id, ${wkb("11.5", "48.1")} as geometry, {common: null::integer, "primary": 'Alt'} as names,
       {alternate: ['b'], "primary": 'a'} as categories`,
    );
    expect((await read(old)).places).toMatchObject([
      { id: "overture/x", name: "Alt", latitude: 48.1, longitude: 11.5, categories: ["a", "b"] },
    ]);
    const fsq = join(folder, "fsq.parquet");
    await writeParquet(
      fsq,
      `select 'f' || i as fsq_place_id, 'Cafe ' || i as name, 48.1 as latitude, 11.5 as longitude, '089 1' as tel,
       ['Dining > Cafe'] as fsq_category_labels, case when i = 1 then '2024-01-01' end as date_closed,
       case when i = 2 then ['closed'] else []::varchar[] end as unresolved_flags from range(4) t(i)`,
    );
    const { places, closed } = await read(fsq);
    expect(places.map(({ id }) => id)).toEqual(["fsq/f0", "fsq/f3"]);
    expect(closed).toBe(2);
    const plain = join(folder, "plain.parquet");
    await writeParquet(
      plain,
      "select 'A' as name, 48.1 as lat, 11.5 as lon, '\\x00'::blob as more",
    );
    expect((await read(plain)).places).toMatchObject([{ name: "A", latitude: 48.1 }]);
  });

  test("that has other columns, is cut off, or is none at all is an error", async () => {
    const other = join(folder, "other.parquet");
    await writeParquet(other, "select 1 as a, 'x' as b");
    await expect(read(other)).rejects.toThrow(
      /no columns of places .* it has a INTEGER, b VARCHAR/,
    );
    const cut = join(folder, "cut.parquet");
    writeFileSync(cut, readFileSync(overture).subarray(0, 100_000));
    await expect(read(cut)).rejects.toMatchObject({ code: "places_parquet", kind: "invalid" });
    const none = join(folder, "none.parquet");
    writeFileSync(none, "PAR1 and no more");
    await expect(read(none)).rejects.toMatchObject({ code: "places_parquet" });
  });

  test("that is given up ends its process, with the reason", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const reading = (async () => {
      for await (const batch of readParquet({ file: overture, signal: controller.signal })) {
        if (batch.length > 0) controller.abort(reason);
      }
    })();
    await expect(reading).rejects.toBe(reason);
  });
});

describe("a sparse copy", () => {
  test("has the same rows as the whole file, for 20 random boxes, in a part of the bytes", async () => {
    await using server = await serveFile(overture);
    const random = createSeededRandom(7);
    const to = join(folder, "sparse.parquet");
    const size = readFileSync(overture).length;
    // Ten boxes at a time: each process that reads takes a while to start.
    for (let round = 0; round < 2; round++) {
      const boxes = Array.from({ length: 10 }, () => box(30 + random.next() * 3.8, -98 + random.next() * 3.8, 0.1)); // prettier-ignore
      server.bytes = 0;
      const made = await copySparse({ url: server.url, to, boxes });
      expect(made.size).toBe(size);
      expect(server.bytes).toBeLessThan(size);
      expect((await read(to, boxes)).places).toEqual((await read(overture, boxes)).places);
    }
  });

  test("continues where a connection was cut", async () => {
    await using server = await serveFile(overture);
    server.cuts = 5;
    const to = join(folder, "cuts.parquet");
    const boxes = [box(31, -97, 0.5)];
    await copySparse({ url: server.url, to, boxes });
    expect(server.cuts).toBe(0);
    expect((await read(to, boxes)).places).toEqual((await read(overture, boxes)).places);
  });

  test("of a release that vanished, changed, or a server without ranges is an error", async () => {
    await using server = await serveFile(overture);
    const to = join(folder, "bad.parquet");
    const copy = () => copySparse({ url: server.url, to, boxes: [box(31, -97)] });
    server.status = 404;
    await expect(copy()).rejects.toMatchObject({ code: "places_gone" });
    server.status = 200;
    await expect(copy()).rejects.toThrow(/does not give parts of it/);
    server.status = 503;
    await expect(copy()).rejects.toMatchObject({ code: "places_unreachable", kind: "unavailable" });
    server.status = undefined;
    const copying = copySparse({
      url: server.url,
      to,
      boxes: [box(31, -97)],
      onBytes: () => (server.etag = '"v2"'),
    });
    await expect(copying).rejects.toThrow(/was changed while it was read/);
  });
});

describe("the process that reads", () => {
  test("says which command installs DuckDB, if it is not there", async () => {
    // A copy of the program in a folder without node_modules, as on a machine that never installed it.
    const alone = mkdtempSync(join(tmpdir(), "forager-no-duckdb-"));
    try {
      const program = join(alone, "parquet-child.ts");
      writeFileSync(program, readFileSync(new URL("parquet-child.ts", import.meta.url)));
      await using lone = openParquetReader({ program });
      await expect(lone.places({ file: overture }).next()).rejects.toMatchObject({
        code: "duckdb_missing",
        kind: "invalid",
        message: expect.stringContaining("npm install @duckdb/node-api") as string,
      });
    } finally {
      rmSync(alone, { recursive: true, force: true });
    }
  });

  test("answers one question after the other, in less than 250 MB", async () => {
    let rssBytes = 0;
    const ask = async (south: number) => {
      const found: Place[] = [];
      const boxes = [box(south, -97)];
      for await (const batch of readParquet({ file: overture, boxes, onEnd: (bytes) => (rssBytes = bytes) })) {
        for (const { read: one } of batch) if (one.kind === "place") found.push(one.place);
      }
      return found;
    }; // prettier-ignore
    const [one, other] = await Promise.all([ask(31), ask(32)]);
    expect(one).toEqual((await read(overture, [box(31, -97)])).places);
    expect(other).toEqual((await read(overture, [box(32, -97)])).places);
    expect(one.length).toBeGreaterThan(0);
    expect(rssBytes / 2 ** 20).toBeLessThan(250);
  });
});
