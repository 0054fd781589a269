import { createHash } from "node:crypto";
import { mkdtemp, open, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { readVersion } from "../base/version.ts";
import type { Attribution, CutOptions, SnapshotRelease } from "../sources/index.ts";
import type { Places } from "./open-places.ts";

export interface ImportPlacesOptions extends Omit<
  CutOptions,
  "store" | "tempFolder" | "name" | "records" | "version"
> {
  /** A path, or the address of a Parquet file. */
  readonly file: string;
  readonly places: Pick<Places, "store" | "tempFolder">;
  readonly clock: Clock;
  /** Of Overture; absent: 0.5. */
  readonly minConfidence?: number | undefined;
}

/**
 * Cuts a file into tiles, whatever it is: CSV, JSON and GeoJSON are read as they are, Parquet through
 * DuckDB, extracts of OpenStreetMap through osmium. Of a remote Parquet file only what is needed for the
 * area is fetched.
 */
export async function importPlaces(options: ImportPlacesOptions): Promise<SnapshotRelease> {
  const { cutPlaces } = await import("../sources/index.ts");
  const { places, source, file, signal } = options;
  const given = { ...options, store: places.store, name: `imported:${source}` };
  const kind = await kindOf(file);
  if (kind === "text") return cutPlaces({ ...given, tempFolder: places.tempFolder() });
  const folder = await mkdtemp(join(places.tempFolder(), "import-"));
  try {
    const own = { ...given, tempFolder: folder };
    if (kind === "extract") {
      const { convertExtract } = await import("../sources/adapters/osmium/convert-extract.ts");
      const to = join(folder, "extract.geojsonseq");
      await convertExtract({ file, to, signal });
      return await cutPlaces({ ...own, file: to, attribution: await attribution("osm") });
    }
    const { readParquet, minConfidenceDefault } =
      await import("../sources/adapters/parquet/read-parquet.ts");
    const { minConfidence = minConfidenceDefault, area } = options;
    const boxes = area?.boxes ?? [];
    const local = join(folder, "remote.parquet");
    const version = kind === "remote" ? await fetchParquet(options, local) : undefined;
    const read = kind === "remote" ? local : file;
    return await cutPlaces({
      ...own,
      variant: `parquet ${minConfidence}`,
      records: () => readParquet({ file: read, boxes, minConfidence, signal }),
      ...(version && { version }),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const attribution = async (name: string): Promise<Attribution> =>
  (await import("../sources/index.ts")).attributionOf(name)!;

/** The same address, version and area are the same release: it is not fetched twice. */
async function fetchParquet(options: ImportPlacesOptions, to: string) {
  const { file: url, area, minConfidence, signal, onProgress, clock } = options;
  const { copySparse } = await import("../sources/adapters/parquet/sparse-copy.ts");
  const onBytes = (bytes: number, bytesTotal: number) =>
    onProgress?.({ step: "read", bytes, bytesTotal: Math.max(bytes, bytesTotal) });
  const userAgent = `forager/${readVersion()}`;
  const made = await copySparse({ url, to, boxes: area?.boxes ?? [], userAgent, signal, onBytes });
  const release = createHash("sha256")
    .update(JSON.stringify([url, made.version, made.size, area?.id, minConfidence]))
    .digest("hex")
    .slice(0, 24);
  return { release, dataTime: new Date(clock.nowMs()).toISOString() };
}

type Kind = "text" | "parquet" | "remote" | "extract";

async function kindOf(file: string): Promise<Kind> {
  if (/^https?:\/\//i.test(file)) return "remote";
  if (/\.(?:pbf|osm|osm\.(?:bz2|gz))$/i.test(basename(file))) return "extract";
  try {
    await using handle = await open(file, "r");
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && buffer.toString("latin1") === "PAR1" ? "parquet" : "text";
  } catch {
    return "text"; // its reader says what is wrong
  }
}
