import type { Tile } from "./grid.ts";
import type { Place } from "./place.ts";

/**
 * Where places come from. Two sorts: an **area** source answers everything in a tile, a **search**
 * source what it finds for a phrase there. Throughout:
 * - an answer is complete, or the call throws AppError; part of an answer never passes for all of it;
 * - a tile holds its southern and western edge and not the others (see ./grid.ts); a place elsewhere is
 *   dropped and counted;
 * - the id of a place stays the same for as long as the source knows it;
 * - an aborted signal ends a call with its reason;
 * - several may ask at once.
 */
export interface PlaceSource {
  /** `file:places.jsonl`. The same for all who use it. */
  readonly name: string;
  /** Names it in keys of objects and witnesses: 1 to 63 of a-z, 0-9, `.` and `-`. */
  readonly key: string;
  readonly attribution: Attribution;
  /** Absent: asking costs nobody anything. */
  readonly gate?: SourceGate;
  /** Of an area source: all places of a tile. `onRequest` is called when a request goes out. */
  area?(tile: Tile, signal?: AbortSignal, onRequest?: () => void): Promise<TilePlaces>;
  /** Of a search source: places of a tile that it finds by a phrase. Its end means: that is all. */
  search?(query: SearchQuery): AsyncIterable<Place>;
  /** Undefined: there is none of that id. It is found sooner if one knows the tile that it lies in. */
  look(id: string, options?: LookOptions): Promise<Place | undefined>;
  /** Whether it can be asked now. */
  check(signal?: AbortSignal): Promise<SourceHealth>;
}

export interface Attribution {
  /** What must be shown beside the data. "": nothing is asked for. */
  readonly text: string;
  readonly licence: string;
  readonly url: string;
}

/** How a source wants to be asked, by all nodes together. */
export interface SourceGate {
  readonly key: string;
  readonly delayMs: number;
  readonly limit: 1;
  readonly dailyRequests?: number;
  readonly dailyBytes?: number;
}

export interface TilePlaces {
  readonly places: readonly Place[];
  /** Which edition of the data this is: another one may say something else. */
  readonly release: string;
  /** How old the data is, ISO 8601; undefined: nobody says. */
  readonly dataTime: string | undefined;
  /** Places that the source gave for the tile and that lie elsewhere. */
  readonly outside: number;
}

export interface LookOptions {
  readonly tile?: Tile;
  readonly signal?: AbortSignal;
}

export interface SearchQuery {
  readonly tile: Tile;
  /** In lower case. */
  readonly phrase: string;
  readonly signal?: AbortSignal;
}

export type SourceHealth =
  | { readonly status: "good"; readonly release: string; readonly dataTime: string | undefined }
  | { readonly status: "bad"; readonly reason: string };
