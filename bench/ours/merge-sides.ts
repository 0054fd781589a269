import { strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { openNodeIn } from "../../src/app/node/open-node.ts";
import { silentLogger } from "../../src/base/log/logger.ts";
import { createPaths } from "../../src/config/index.ts";
import { mergeDuplicates } from "../../src/records/index.ts";
import { openParquetReader } from "../../src/sources/adapters/parquet/read-parquet.ts";
import {
  overtureQuery,
  writeParquet,
} from "../../src/sources/adapters/parquet/testing/parquet-files.ts";
import type { Side } from "../frame/side.ts";
import { factsOf } from "./records-sides.ts";

export interface ResolveInput {
  /** Half of them of OpenStreetMap, half of Overture. */
  readonly companies: number;
  /** So many of Overture's are one of OpenStreetMap's. */
  readonly twins: number;
}

export interface ParquetInput {
  readonly rows: number;
  readonly rowGroup: number;
  readonly tiles: number;
}

const batch = 500;

/** Companies of two sources in a data folder: all are compared, and those that are one are merged. */
export const resolve: Side<ResolveInput> = async ({ companies, twins }, { folder }) => {
  const paths = createPaths(join(folder, "node"));
  const node = await openNodeIn({ kind: "command", paths, log: silentLogger, user: "bench", version: "bench" }); // prettier-ignore
  const { records } = node.api;
  const half = companies / 2;
  const request = (index: number) => {
    const isSecond = index >= half;
    const business = isSecond && index - half < twins ? index - half : index;
    const { name, city, domain } = factsOf(business);
    const place = isSecond ? `overture/g${index}` : `osm/node/${index}`;
    return {
      source: `place:${place}`,
      fields: {
        name,
        place,
        city,
        domain: isSecond ? `o-${domain}` : domain,
        latitude: 30 + ((business * 7_919) % 100_000) / 100_000,
        longitude: -98 + ((business * 104_729) % 100_000) / 100_000,
        [`phone/+1512${1_000_000 + business}`]: true,
      },
    };
  };
  for (let at = 0; at < companies; at += batch) {
    const some = Math.min(batch, companies - at);
    await records.createAll(Array.from({ length: some }, (_, index) => request(at + index)));
  }
  let merged = 0;
  return {
    async run() {
      ({ merged } = await mergeDuplicates(records));
    },
    async check() {
      await node[Symbol.asyncDispose]();
      strictEqual(merged, twins);
    },
  };
};

/** Tiles of a file in the shape of Overture, by a process that is running already; the first one starts it. */
export const parquet: Side<ParquetInput> = async ({ rows, rowGroup, tiles }, { folder }) => {
  const file = join(folder, "overture.parquet");
  await writeParquet(file, overtureQuery(rows), rowGroup);
  const reader = openParquetReader();
  let [places, rssBytes] = [0, 0];
  const readTile = async (index: number): Promise<number> => {
    const [south, west] = [30.05 + ((index * 7) % 38) / 10, -97.95 + ((index * 11) % 38) / 10];
    const boxes = [{ south, west, north: south + 0.1, east: west + 0.1 }];
    const startMs = performance.now();
    const onEnd = (bytes: number) => (rssBytes = Math.max(rssBytes, bytes));
    for await (const some of reader.places({ file, boxes, onEnd })) places += some.length;
    return performance.now() - startMs;
  };
  return {
    async run() {
      const firstMs = await readTile(0);
      const times: number[] = [];
      for (let index = 1; index <= tiles; index++) times.push(await readTile(index));
      const tileMs = times.sort((a, b) => a - b)[tiles >> 1]!;
      return { firstMs, tileMs, rssMb: rssBytes / 2 ** 20 };
    },
    async check() {
      await reader[Symbol.asyncDispose]();
      strictEqual(places > tiles * 100, true, `only ${places} places`);
    },
  };
};
