import { open } from "node:fs/promises";
import { AppError } from "../../../base/app-error.ts";
import type { Box } from "../../grid.ts";
import type { ChunkInfo } from "./parquet-request.ts";
import { tailBytes, unreadableRemote, type RangeFile } from "./range-file.ts";
import type { ParquetReader } from "./read-parquet.ts";

export interface SparseCopyOptions {
  readonly from: RangeFile;
  readonly reader: Pick<ParquetReader, "chunks">;
  /** The file to create, with the length of the original. */
  readonly to: string;
  /** No boxes: all rows. */
  readonly boxes: readonly Box[];
  readonly signal?: AbortSignal | undefined;
  readonly onBytes?: ((bytes: number, total: number) => void) | undefined;
}

export interface SparseCopy {
  /** The size of the whole file. */
  readonly size: number;
  /** How many bytes were fetched. */
  readonly bytes: number;
  /** Identifies this version of the file. */
  readonly version: string;
}

/** How many empty answers in a row are accepted. */
const emptyMax = 4;
/** The limit for one piece: a connection that delivers almost nothing each time is given up. */
const requestsMax = 100;
/** A smaller gap between two pieces is fetched too, because a request costs more. */
const gapMax = 64 * 1024;
const pieceMax = 16 * 2 ** 20;
const footerMax = 256 * 2 ** 20;
/** More than readers widen a box by, so that they never read a hole. */
const slack = 1e-4;
const columns = new Set(
  ("bbox geometry id names categories taxonomy basic_category confidence websites socials emails phones brand addresses " +
    "operating_status fsq_place_id name latitude longitude address locality region postcode country date_closed tel " +
    "website email facebook_id instagram twitter fsq_category_labels unresolved_flags").split(" "),
); // prettier-ignore

interface Range {
  readonly from: number;
  /** The position after the last byte. */
  readonly to: number;
}

/**
 * Copies the parts of a remote Parquet file that are needed for some boxes: its footer, and the
 * place columns of those groups of rows that overlap a box. The rest of the copy is a hole. Readers
 * find the same rows in it as in the whole file. Throws if the file changes meanwhile or stays
 * unreachable.
 */
export async function copySparse(options: SparseCopyOptions): Promise<SparseCopy> {
  const { from: remote, reader, to, boxes, signal, onBytes } = options;
  const tail = await remote.tail(signal);
  await using file = await open(to, "w", 0o600);
  let bytes = 0;
  const copy = async ({ from, to: end }: Range, total: number): Promise<void> => {
    for (let at = from; at < end; at += pieceMax) {
      const piece = { from: at, to: Math.min(end, at + pieceMax) };
      const body = await fetchRange(options, piece, tail.version);
      await file.write(body, 0, body.length, at);
      bytes += body.length;
      onBytes?.(bytes, total);
    }
  };
  const isWhole = tail.bytes.length === tailBytes;
  const footer = isWhole ? tail.bytes.readUInt32LE(0) : Infinity;
  const isParquet = isWhole && tail.bytes.toString("latin1", 4) === "PAR1";
  if (!isParquet || footer > Math.min(footerMax, tail.size))
    throw unreadableRemote(remote.name, "it is not a Parquet file");
  await file.truncate(tail.size);
  await copy({ from: 0, to: 4 }, 0);
  await copy({ from: tail.size - 8 - footer, to: tail.size }, 0);
  const ranges = joined(chosenChunks(await reader.chunks(to, signal), boxes));
  const total = bytes + ranges.reduce((sum, range) => sum + range.to - range.from, 0);
  for (const range of ranges) await copy(range, total);
  await file.sync();
  return { size: tail.size, bytes, version: tail.version };
}

function chosenChunks(chunks: readonly ChunkInfo[], boxes: readonly Box[]): readonly Range[] {
  const known = chunks.filter(({ column }) => columns.has(topOf(column)));
  const isPlaces = known.some(({ column }) => /^(?:names|name|fsq_place_id)\b/.test(column));
  const bounds = new Map<number, Map<string, ChunkInfo>>();
  for (const chunk of chunks) {
    const some = bounds.get(chunk.group) ?? new Map<string, ChunkInfo>();
    bounds.set(chunk.group, some.set(chunk.column, chunk));
  }
  const overlaps = (group: number): boolean => {
    if (boxes.length === 0) return true;
    const of = bounds.get(group);
    const least = (name: string, flat: string) => (of?.get(`bbox, ${name}`) ?? of?.get(flat))?.min ?? NaN; // prettier-ignore
    const most = (name: string, flat: string) => (of?.get(`bbox, ${name}`) ?? of?.get(flat))?.max ?? NaN; // prettier-ignore
    // Keep groups with unknown bounds: every comparison with NaN is false.
    return boxes.some(
      ({ south, west, north, east }) =>
        !(least("xmin", "longitude") > east + slack) &&
        !(most("xmax", "longitude") < west - slack) &&
        !(least("ymin", "latitude") > north + slack) &&
        !(most("ymax", "latitude") < south - slack),
    );
  };
  return (isPlaces ? known : chunks)
    .filter(({ group }) => overlaps(group))
    .map(({ offset, bytes }) => ({ from: offset, to: offset + bytes }));
}

const topOf = (column: string): string => column.split(", ", 1)[0]!;

function joined(ranges: readonly Range[]): readonly Range[] {
  const sorted = [...ranges].sort((a, b) => a.from - b.from);
  const found: { from: number; to: number }[] = [];
  for (const { from, to } of sorted) {
    const last = found.at(-1);
    if (last && from <= last.to + gapMax) last.to = Math.max(last.to, to);
    else found.push({ from, to });
  }
  return found;
}

/** Continues where a connection broke. */
async function fetchRange(
  { from: remote, signal }: SparseCopyOptions,
  { from, to }: Range,
  version: string,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let at = from;
  for (let tries = 0, requests = 0; at < to; requests++) {
    const body = await remote.range({ from: at, to, version }, signal);
    parts.push(body.subarray(0, to - at));
    at += Math.min(body.length, to - at);
    tries = body.length > 0 ? 0 : tries + 1;
    if (at < to && (tries >= emptyMax || requests >= requestsMax)) throw cut(remote.name, at);
  }
  return Buffer.concat(parts);
}

const cut = (name: string, at: number) =>
  new AppError("unavailable", "places_cut", `the connection to ${name} keeps breaking, now at byte ${at}; run the same command again to continue`); // prettier-ignore
