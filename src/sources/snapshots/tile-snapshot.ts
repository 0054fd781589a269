import { gzipSync } from "node:zlib";
import * as z from "zod";
import { AppError } from "../../base/app-error.ts";
import { gunzipBounded } from "../../base/files/gunzip-bounded.ts";
import { refuseNewerName } from "../../base/text/formats.ts";
import type { Place } from "../place.ts";
import type { TilePlaces } from "../place-source.ts";

/**
 * The places of a tile from one source: gzip of one JSON header line, then one line for each place.
 * Created once and never changed; docs/formats/places.md describes it.
 */
export const snapshotFormat = "forager-places/1";

const header = z.object({
  format: z.literal(snapshotFormat),
  source: z.string(),
  tile: z.string(),
  release: z.string(),
  dataTime: z.iso.datetime().optional(),
  places: z.int().min(0),
  outside: z.int().min(0),
  /** How many requests it took, if the tile was too much for one. */
  parts: z.int().min(1).optional(),
});

export interface SnapshotAbout {
  readonly source: string;
  readonly tile: string;
  readonly release: string;
  readonly dataTime: string | undefined;
  readonly outside: number;
  readonly parts?: number;
}

/** `lines` are places as JSON, one each. */
export function encodeSnapshot(about: SnapshotAbout, lines: readonly string[]): Uint8Array {
  const first = JSON.stringify({ format: snapshotFormat, ...about, places: lines.length });
  // Level 1: snapshots are written more often than they are read, and are very repetitive.
  return gzipSync(`${[first, ...lines].join("\n")}\n`, { level: 1 });
}

const bytesMax = 512 * 2 ** 20;

export function decodeSnapshot(key: string, body: Uint8Array): TilePlaces {
  try {
    const limits = { bytesMax, start: `{"format":"${snapshotFormat.replace(/\d+$/, "")}` };
    const text = gunzipBounded(body, limits).toString("utf8");
    const [first = "", ...lines] = text.trimEnd().split("\n");
    const found = JSON.parse(first) as { readonly format?: unknown };
    refuseNewerName(found.format, { newest: snapshotFormat, code: "places_newer", where: key });
    const about = header.parse(found);
    const places = lines.map((line) => JSON.parse(line) as Place);
    const isWhole =
      places.length === about.places &&
      places.every(({ id, name }) => typeof id === "string" && typeof name === "string");
    if (!isWhole)
      throw new Error(`it has ${places.length} places, and its header says ${about.places}`);
    const { release, dataTime, outside } = about;
    return { places, release, dataTime, outside };
  } catch (cause) {
    if (cause instanceof AppError && cause.code === "places_newer") throw cause;
    const words = `the object ${key} is not a snapshot of places: remove it, and import its file again`;
    throw new AppError("corrupt", "places_snapshot", words, { cause });
  }
}
