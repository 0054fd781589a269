import { createHash } from "node:crypto";
import { open, stat } from "node:fs/promises";
import { AppError } from "../../base/app-error.ts";
import { countOf } from "../../base/text/count-words.ts";
import { isPoint, tileAt, type Box, type Point } from "../grid.ts";
import { attributionsOf } from "../attributions.ts";
import {
  readPlaceFile,
  unreadable,
  type FileRecord,
  type PlaceFileOptions,
} from "../read/read-place-file.ts";
import { releaseFormat, type SnapshotRelease, type SnapshotStore } from "./snapshot-store.ts";
import { createSpill, type TileSpill } from "./spill.ts";
import { encodeSnapshot } from "./tile-snapshot.ts";

export interface CutOptions extends Omit<PlaceFileOptions, "onBytes"> {
  /** The name of the source in keys. */
  readonly source: string;
  /** The name for people. */
  readonly name: string;
  readonly store: SnapshotStore;
  /** A folder for data that does not fit into memory. */
  readonly tempFolder: string;
  /** Cuts only places in this area; its `id` identifies it. */
  readonly area?: PlaceArea | undefined;
  readonly onProgress?: (progress: CutProgress) => void;
  /** In bytes before compression: a tile with more cannot be read again. */
  readonly tileSizeMax?: number;
  /** Reads the file's records; absent: as a text file. */
  readonly records?: () => AsyncIterable<readonly FileRecord[]>;
  /** Identifies how `records` reads the file, if not completely. */
  readonly variant?: string;
  /** Identifies the release; absent: the file's bytes do. */
  readonly version?: Pick<SnapshotRelease, "release" | "content"> & { readonly dataTime: string };
}

export interface PlaceArea {
  readonly id: string;
  /** Boxes that together contain the whole area; none: anywhere. */
  readonly boxes: readonly Box[];
  has(point: Point): boolean;
}

export type CutProgress =
  | { readonly step: "hash" | "read"; readonly bytes: number; readonly bytesTotal: number }
  | { readonly step: "write"; readonly tiles: number; readonly tilesTotal: number };

const writesAtOnce = 8;
/** Larger tiles are written one after the other, because each takes several times its size. */
const largeTileSize = 8 * 2 ** 20;
const tileSizeMaxDefault = 256 * 2 ** 20;
const linesShownMax = 3;
const reasonsMax = 50;

/**
 * Cuts a file into snapshots, one for each tile that has places. Nothing counts until the release
 * is finished, which is written last: a damaged file or a killed process leaves nothing that is
 * read. Cutting again writes what is missing. The name of a release identifies the bytes it was
 * made from, so a file is cut once, by whichever machine.
 */
export async function cutPlaces(options: CutOptions): Promise<SnapshotRelease> {
  const { file, source, name, store, signal, area } = options;
  const { release, content, dataTime, bytesTotal } = options.version
    ? { content: undefined, ...options.version, bytesTotal: 0 }
    : await releaseOf(options);
  const known = await store.release(source, release);
  if (known) return known;

  await using spill = createSpill(options.tempFolder);
  const counts = { outside: 0, duplicates: 0, closed: 0, bad: 0 };
  const reasons = new Map<string, { count: number; lines: number[] }>();
  const idPrefixes = new Set<string>();
  let swapped = 0;
  const onBytes = progressOf(options, "read", bytesTotal);
  for await (const batch of options.records?.() ?? readPlaceFile({ ...options, onBytes })) {
    for (const { line, read } of batch) {
      if (read.kind === "closed") counts.closed += 1;
      else if (read.kind === "bad") {
        counts.bad += 1;
        const known = reasons.get(read.reason) ?? { count: 0, lines: [] };
        if (reasons.size < reasonsMax || reasons.has(read.reason)) reasons.set(read.reason, known);
        known.count += 1;
        if (known.lines.length < linesShownMax) known.lines.push(line);
      } else {
        const { latitude = 0, longitude = 0 } = read.place;
        if (area && !area.has({ latitude, longitude })) {
          counts.outside += 1;
          const other = { latitude: longitude, longitude: latitude };
          if (isPoint(other) && area.has(other)) swapped += 1;
        } else {
          idPrefixes.add(read.place.id.slice(0, read.place.id.indexOf("/") + 1));
          spill.add(tileAt({ latitude, longitude }).id, JSON.stringify(read.place));
        }
      }
    }
    await spill.settle();
  }
  checkSwapped(file, { reasons, inArea: swapped, tiles: spill.tiles().length });
  if (spill.tiles().length === 0 && counts.bad > 0 && counts.outside + counts.closed === 0) {
    throw nothingRead(file, counts.bad, reasons);
  }

  checkTileSizes(options, spill);
  const about = { source: name, release, dataTime, outside: 0 };
  const tiles = await writeTiles(options, { spill, about, counts });
  const finished: SnapshotRelease = {
    format: releaseFormat,
    source,
    name,
    release,
    ...(content !== undefined && { content }),
    dataTime,
    places: Object.values(tiles).reduce((sum, one) => sum + one, 0),
    tiles,
    ...counts,
    attributions: [...attributionsOf(idPrefixes)],
    reasons: [...reasons]
      .map(([reason, counted]) => ({ reason, ...counted }))
      .sort((a, b) => b.count - a.count),
  };
  signal?.throwIfAborted();
  await store.finish(finished);
  return finished;
}

interface TilesToWrite {
  readonly spill: TileSpill;
  readonly about: { readonly source: string; readonly release: string; readonly dataTime: string; readonly outside: number }; // prettier-ignore
  readonly counts: { duplicates: number };
}

async function writeTiles(
  { source, store, signal, onProgress }: CutOptions,
  { spill, about, counts }: TilesToWrite,
): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  const all = [...spill.tiles()].sort();
  const tilesTotal = all.length;
  let tiles = 0;
  const isLarge = (tile: string) => spill.sizeOf(tile) > largeTileSize;
  const write = async (waiting: string[]): Promise<void> => {
    for (let tile = waiting.pop(); tile !== undefined; tile = waiting.pop()) {
      signal?.throwIfAborted();
      const given = await spill.linesOf(tile);
      const lines = firstOfEach(given);
      counts.duplicates += given.length - lines.length;
      found[tile] = lines.length;
      const body = encodeSnapshot({ ...about, tile }, lines);
      await store.write({ source, release: about.release, tile }, body);
      tiles += 1;
      onProgress?.({ step: "write", tiles, tilesTotal });
    }
  };
  const small = all.filter((tile) => !isLarge(tile));
  await Promise.all(Array.from({ length: writesAtOnce }, () => write(small)));
  await write(all.filter(isLarge));
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The id is first in each line. Some programs list a closed way twice, as a line and as an area.
 */
function firstOfEach(lines: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return lines.filter((line) => {
    const end = line.indexOf('","name":');
    const id = line.slice(0, end < 0 ? line.length : end);
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

async function releaseOf(options: CutOptions) {
  const { file, signal, area, columns, delimiter, encoding, variant } = options;
  try {
    await using handle = await open(file, "r");
    const { size, mtimeMs } = await stat(file);
    const how = [columns, delimiter, encoding, ...(variant === undefined ? [] : [variant])];
    const hash = createHash("sha256").update(JSON.stringify([area?.id, ...how]));
    const ofContent = area && createHash("sha256").update(JSON.stringify([undefined, ...how]));
    const onBytes = progressOf(options, "hash", size);
    const buffer = Buffer.alloc(2 ** 20);
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await handle.read(buffer, 0, buffer.length);
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
      ofContent?.update(buffer.subarray(0, bytesRead));
      onBytes(bytesRead);
    }
    const dataTime = new Date(Math.trunc(mtimeMs)).toISOString();
    return {
      release: hash.digest("hex").slice(0, 24),
      content: ofContent?.digest("hex").slice(0, 24),
      dataTime,
      bytesTotal: size,
    };
  } catch (error) {
    throw signal?.aborted === true ? signal.reason : unreadable(file, error);
  }
}

function progressOf({ onProgress }: CutOptions, step: "hash" | "read", bytesTotal: number) {
  let bytes = 0;
  return (more: number) => {
    bytes += more;
    onProgress?.({ step, bytes, bytesTotal });
  };
}

/** A release without places would hide that something is wrong with the file. */
function nothingRead(
  file: string,
  bad: number,
  reasons: ReadonlyMap<string, { readonly count: number }>,
): AppError {
  const examples = [...reasons].map(([reason, { count }]) => `${count}: ${reason}`).slice(0, 3);
  const words = `cannot read places from ${file}: none of its ${bad} records is a place (${examples.join("; ")})`;
  return new AppError("invalid", "places_none", words);
}

/** A whole list in one tile is usually one point for every row: a default, or the middle of a town. */
function checkTileSizes({ file, tileSizeMax = tileSizeMaxDefault }: CutOptions, spill: TileSpill) {
  const largest = spill.tiles().find((tile) => spill.sizeOf(tile) > tileSizeMax);
  if (largest === undefined) return;
  const [mb, maxMb] = [spill.sizeOf(largest), tileSizeMax].map((size) => Math.ceil(size / 2 ** 20));
  const words =
    `cannot read places from ${file}: the tile ${largest} (0.1° wide) would have ${mb} MB of places, at most ${maxMb} MB are ` +
    "possible: do many rows have the same point? Split the file, or leave those rows out";
  throw new AppError("invalid", "places_tile_size", words);
}

interface SwappedPoints {
  readonly reasons: ReadonlyMap<string, { readonly count: number }>;
  /** Places that would be in the area if latitude and longitude were exchanged. */
  readonly inArea: number;
  readonly tiles: number;
}

/** If no place is where it should be, and exchanged columns would put them there, they are swapped. */
function checkSwapped(file: string, { reasons, inArea, tiles }: SwappedPoints): void {
  const offEarth = [...reasons].find(([reason]) => reason.includes("swapped"))?.[1].count ?? 0;
  const swapped = offEarth + inArea;
  if (swapped === 0 || tiles > 0) return;
  const words =
    `cannot read places from ${file}: latitude and longitude seem to be swapped in ` +
    `${countOf(swapped, "place")}; of GeoJSON coordinates the longitude comes first`;
  throw new AppError("invalid", "places_swapped", words);
}
