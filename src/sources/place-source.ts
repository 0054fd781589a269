import type { Tile } from "./grid.ts";
import type { Place } from "./place.ts";

/**
 * A source of places. There are two types: an **area** source returns everything in a tile, a
 * **search** source what it finds for a phrase there. Invariants:
 * - an answer is complete, or the call throws AppError; a partial answer is never returned as a
 *   complete one;
 * - a tile includes its southern and western edge only (see ./grid.ts); places outside it are
 *   dropped and counted;
 * - the id of a place does not change as long as the source has it;
 * - an aborted signal ends a call with its reason;
 * - calls may run concurrently.
 */
export interface PlaceSource {
  /** `file:places.jsonl`. The same on every node. */
  readonly name: string;
  /** Its name in keys of objects and witnesses: 1 to 63 of a-z, 0-9, `.` and `-`. */
  readonly key: string;
  readonly attribution: Attribution;
  /** The source's rate limit. Absent: requests cost nothing. */
  readonly gate?: SourceGate;
  /** Area sources: all places of a tile. `onRequest` is called when a request is sent. */
  area?(tile: Tile, signal?: AbortSignal, onRequest?: () => void): Promise<TilePlaces>;
  /**
   * Search sources: the places of a tile that match a phrase. The iteration ends when there are no
   * more.
   */
  search?(query: SearchQuery): AsyncIterable<Place>;
  /** Undefined: no place has this id. A known tile makes the lookup faster. */
  look(id: string, options?: LookOptions): Promise<Place | undefined>;
  /** Whether the source is available now. */
  check(signal?: AbortSignal): Promise<SourceHealth>;
}

export interface Attribution {
  /** The text to show with the data. "": none is required. */
  readonly text: string;
  readonly licence: string;
  readonly url: string;
}

/** The rate limit of a source, for all nodes together. */
export interface SourceGate {
  readonly key: string;
  readonly delayMs: number;
  readonly limit: 1;
  readonly dailyRequests?: number;
  readonly dailyBytes?: number;
}

export interface TilePlaces {
  readonly places: readonly Place[];
  /** The release of the data; another release may have other places. */
  readonly release: string;
  /** The time of the data, ISO 8601; undefined: unknown. */
  readonly dataTime: string | undefined;
  /** How many returned places are outside the tile. */
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
