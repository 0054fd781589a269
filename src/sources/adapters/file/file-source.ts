import { createReadStream } from "node:fs";
import { open, stat, type FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import { AppError } from "../../../base/app-error.ts";
import { matchesPhrase } from "../../match-phrase.ts";
import type { Box, Place, PlaceSource } from "../../place-source.ts";
import { readPlace, type ReadPlace } from "./read-place.ts";
import { featureRanges, lineRanges, recordBytesMax } from "./record-ranges.ts";

export interface BadRecord {
  /** From 1. */
  readonly line: number;
  readonly reason: string;
}

export interface FileSurvey {
  readonly places: number;
  readonly bad: number;
  /** The first of them. */
  readonly badRecords: readonly BadRecord[];
  /** Of the places: those that `isWanted` did not want. */
  readonly outside: number;
}

export interface FileSource extends PlaceSource {
  /** Reads all of it, and says what is in it. */
  survey(isWanted?: (place: Place) => boolean): Promise<FileSurvey>;
}

const badShownMax = 20;

/**
 * Places from a file of JSON lines or GeoJSON. Read through once, and again when it has changed:
 * what stays in memory is where the places of each 0.1° stand, a few bytes for each. A record that
 * cannot be read is passed over and named by `survey`; a file that cannot be is an error.
 */
export function createFileSource({ file }: { readonly file: string }): FileSource {
  const name = `file:${basename(file)}`;
  let indexed: { readonly version: string; readonly index: Promise<Index> } | undefined;
  const indexNow = async (): Promise<Index> => {
    const version = await versionOf(file);
    if (indexed?.version !== version) indexed = { version, index: readIndex(file) };
    const { index } = indexed;
    return index.catch((error: unknown) => {
      if (indexed?.index === index) indexed = undefined;
      throw error;
    });
  };

  return {
    name,
    async *find({ box, phrase, signal }) {
      const index = await indexNow();
      const ranges = cellsOf(box).flatMap((cell) => index.byCell.get(cell) ?? []);
      if (ranges.length === 0) return;
      await using handle = await open(file, "r");
      for (const range of ranges) {
        signal?.throwIfAborted();
        const place = await readAt(handle, range, file);
        if (isIn(box, place) && matchesPhrase(place, phrase)) yield place;
      }
    },
    async look(id, signal) {
      const { byId } = await indexNow();
      signal?.throwIfAborted();
      const range = byId.get(id);
      if (!range) return undefined;
      await using handle = await open(file, "r");
      return readAt(handle, range, file);
    },
    async survey(isWanted = () => true) {
      let [places, bad, outside] = [0, 0, 0];
      const badRecords: BadRecord[] = [];
      for await (const { line, read } of readAll(file)) {
        if (read.kind === "place") {
          places += 1;
          if (!isWanted(read.place)) outside += 1;
          continue;
        }
        bad += 1;
        if (badRecords.length < badShownMax) badRecords.push({ line, reason: read.reason });
      }
      return { places, bad, badRecords, outside };
    },
  };
}

interface Range {
  readonly start: number;
  readonly bytes: number;
}

interface Index {
  readonly byCell: ReadonlyMap<string, readonly Range[]>;
  readonly byId: ReadonlyMap<string, Range>;
}

async function readIndex(file: string): Promise<Index> {
  const byCell = new Map<string, Range[]>();
  const byId = new Map<string, Range>();
  for await (const { start, bytes, read } of readAll(file)) {
    if (read.kind === "bad") continue;
    const { id, latitude = 0, longitude = 0 } = read.place;
    const range = { start, bytes };
    if (!byId.has(id)) byId.set(id, range);
    const cell = cellAt(latitude, longitude);
    const known = byCell.get(cell);
    if (known) known.push(range);
    else byCell.set(cell, [range]);
  }
  return { byCell, byId };
}

/** Cells are only to find candidates by: a box asks for all that it touches, and looks closer. */
const cellAt = (latitude: number, longitude: number) =>
  `${Math.floor(latitude * 10)} ${Math.floor(longitude * 10)}`;

function cellsOf({ south, west, north, east }: Box): readonly string[] {
  const cells: string[] = [];
  for (let row = Math.floor(south * 10) - 1; row <= Math.floor(north * 10) + 1; row++) {
    for (let column = Math.floor(west * 10) - 1; column <= Math.floor(east * 10) + 1; column++) {
      cells.push(`${row} ${column}`);
      // 180° east is 180° west, and so is what lies a hair before it.
      if (column === -1_800) cells.push(`${row} 1800`, `${row} 1799`);
    }
  }
  return cells;
}

/** In tenths of degrees, as the grid counts: within a hundredth of a millimetre an edge is reached. */
const slack = 1e-9;
const hasReached = (degrees: number, edge: number) =>
  degrees * 10 + slack >= Math.round(edge * 1e7) / 1e6;

function isIn(
  { south, west, north, east }: Box,
  { latitude = NaN, longitude = NaN }: Place,
): boolean {
  const turned = hasReached(longitude, 180) ? -180 : longitude;
  const isInRow = hasReached(latitude, south) && (!hasReached(latitude, north) || north >= 90);
  return isInRow && hasReached(turned, west) && !hasReached(turned, east);
}

interface FileRecord extends Range {
  readonly line: number;
  readonly read: ReadPlace;
}

async function* readAll(file: string): AsyncGenerator<FileRecord> {
  try {
    const ranges = (await isCollection(file)) ? featureRanges : lineRanges;
    const chunks = createReadStream(file, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>;
    for await (const { line, start, bytes } of ranges(chunks)) {
      const text = bytes?.toString("utf8");
      if (text?.trim() === "") continue;
      const read = text === undefined ? tooLong : readPlace(text);
      yield { line, start, bytes: bytes?.length ?? 0, read };
    }
  } catch (error) {
    throw unreadable(file, error);
  }
}

const chunkBytes = 256 * 1024;
const tooLong: ReadPlace = { kind: "bad", reason: `it is longer than ${recordBytesMax} bytes` };

/** One GeoJSON document, and not a line for each place. */
async function isCollection(file: string): Promise<boolean> {
  await using handle = await open(file, "r");
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(chunkBytes), 0, chunkBytes, 0);
  const head = buffer.toString("utf8", 0, bytesRead);
  if (/"type"\s*:\s*"FeatureCollection"/u.test(head)) return true;
  if (!/\.geojson$/iu.test(file)) return false;
  // Its type may stand at its end; but features line by line are called .geojson too.
  const [first = ""] = head.trim().split("\n", 1);
  const read = readPlace(first);
  return read.kind === "bad" && !/"type"\s*:\s*"Feature"/u.test(first);
}

const versionOf = async (file: string): Promise<string> => {
  try {
    const { mtimeMs, size, ino } = await stat(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    throw unreadable(file, error);
  }
};

function unreadable(file: string, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const { code, message } = cause as NodeJS.ErrnoException;
  const why = code === "ENOENT" ? "there is no such file" : message;
  const advice = "check sources.file in the campaign's config.toml";
  return new AppError(
    "invalid",
    "source_file",
    `cannot read places from ${file}: ${why}; ${advice}`,
    {
      cause,
    },
  );
}

async function readAt(handle: FileHandle, { start, bytes }: Range, file: string): Promise<Place> {
  const buffer = Buffer.alloc(bytes);
  const { bytesRead } = await handle.read(buffer, 0, bytes, start);
  const read = readPlace(buffer.toString("utf8", 0, bytesRead));
  if (read.kind === "place") return read.place;
  throw unreadable(file, new Error("it was changed while it was read: ask again"));
}
