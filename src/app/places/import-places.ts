import { createHash } from "node:crypto";
import { mkdtemp, open, readdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { ParquetReader } from "../../sources/adapters/parquet/read-parquet.ts";
import type { CutOptions, SnapshotRelease } from "../../sources/index.ts";
import type { Places } from "./open-places.ts";
import type { OpenRangeFileOptions } from "./open-range-file.ts";

export interface ImportPlacesOptions extends Omit<
  CutOptions,
  "store" | "tempFolder" | "name" | "records" | "version"
> {
  /** The display name of the source; default: the name of the import. */
  readonly name?: string;
  /** A path, or the address of a Parquet file: see `openRangeFile`. */
  readonly file: string;
  /** How to reach the fleet's bucket. */
  readonly remote: Pick<OpenRangeFileOptions, "paths" | "bucket">;
  readonly places: Pick<Places, "store" | "tempFolder">;
  readonly clock: Clock;
  /** For Overture; default: 0.5. */
  readonly minConfidence?: number | undefined;
}

/**
 * Imports a file into tiles. CSV, JSON and GeoJSON are read directly, Parquet through DuckDB,
 * extracts of OpenStreetMap through osmium. Of a remote Parquet file, only the parts for the area
 * are downloaded.
 */
export async function importPlaces(options: ImportPlacesOptions): Promise<SnapshotRelease> {
  const { cutPlaces } = await import("../../sources/index.ts");
  const { places, source, file, signal, name = `imported:${source}` } = options;
  const given = { ...options, store: places.store, name };
  const kind = await placeFileKind(file);
  if (kind === "text") return cutPlaces({ ...given, tempFolder: places.tempFolder() });
  await removeAbandoned(places.tempFolder(), options.clock);
  const folder = await mkdtemp(join(places.tempFolder(), tempPrefix));
  try {
    const own = { ...given, tempFolder: folder };
    if (kind === "extract") {
      const { convertExtract } = await import("../../sources/adapters/osmium/convert-extract.ts");
      const to = join(folder, "extract.geojsonseq");
      await convertExtract({ file, to, signal });
      return await cutPlaces({ ...own, file: to });
    }
    const { openParquetReader, minConfidenceDefault } =
      await import("../../sources/adapters/parquet/read-parquet.ts");
    const { minConfidence = minConfidenceDefault, area } = options;
    const boxes = area?.boxes ?? [];
    await using reader = openParquetReader();
    const local = join(folder, "remote.parquet");
    const version =
      kind === "remote" ? await fetchParquet(options, { reader, to: local }) : undefined;
    if (version && "places" in version) return version;
    const read = kind === "remote" ? local : file;
    return await cutPlaces({
      ...own,
      variant: `parquet ${minConfidence}`,
      records: () => reader.places({ file: read, boxes, minConfidence, signal }),
      ...(version && { version }),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const tempPrefix = "import-";
/** An import whose files have not changed for this long has ended: its process was killed. */
const abandonedMs = 86_400_000;

async function removeAbandoned(parent: string, clock: Clock): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(tempPrefix)) continue;
    const folder = join(parent, name);
    const files = (await readdir(folder).catch(() => [])).map((file) => join(folder, file));
    const times = await Promise.all([folder, ...files].map(changedAtMs));
    if (clock.nowMs() - Math.max(...times) > abandonedMs) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

const changedAtMs = async (path: string): Promise<number> =>
  (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;

interface LocalCopy {
  readonly reader: Pick<ParquetReader, "chunks">;
  readonly to: string;
}

/** The same address, version and area are the same release, which is not downloaded again. */
async function fetchParquet(options: ImportPlacesOptions, { reader, to }: LocalCopy) {
  const { file: url, area, minConfidence, signal, onProgress, clock, remote } = options;
  const { copySparse } = await import("../../sources/adapters/parquet/sparse-copy.ts");
  const { openRangeFile } = await import("./open-range-file.ts");
  await using from = await openRangeFile(url, { ...remote, clock });
  const { version, size } = await from.tail(signal);
  const hashOf = (areaId?: string) =>
    createHash("sha256")
      .update(JSON.stringify([url, version, size, areaId, minConfidence]))
      .digest("hex")
      .slice(0, 24);
  const release = hashOf(area?.id);
  const known = await options.places.store.release(options.source, release);
  if (known) return known;
  const onBytes = (bytes: number, bytesTotal: number) =>
    onProgress?.({ step: "read", bytes, bytesTotal: Math.max(bytes, bytesTotal) });
  await copySparse({ from, reader, to, boxes: area?.boxes ?? [], signal, onBytes });
  return { release, content: hashOf(), dataTime: new Date(clock.nowMs()).toISOString() };
}

export type PlaceFileKind = "text" | "parquet" | "remote" | "extract";

/** Detects the type of a file by its address or name, otherwise by its first bytes. */
export async function placeFileKind(file: string): Promise<PlaceFileKind> {
  const { isRemoteFile } = await import("../../sources/index.ts");
  if (isRemoteFile(file)) return "remote";
  if (/\.(?:pbf|osm|osm\.(?:bz2|gz))$/i.test(basename(file))) return "extract";
  try {
    await using handle = await open(file, "r");
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && buffer.toString("latin1") === "PAR1" ? "parquet" : "text";
  } catch {
    return "text"; // its reader reports the error
  }
}
