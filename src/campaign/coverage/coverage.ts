import type { Tile } from "../../sources/index.ts";
import type { Campaign } from "../campaign.ts";
import type { Target } from "../plan.ts";
import {
  witnessState,
  timesOf,
  witnessOf,
  type Witness,
  type Witnesses,
  type WitnessTimes,
} from "../witness.ts";

/**
 * The state of a tile:
 * - `fresh`: searched recently, with places;
 * - `empty`: searched recently, without places, or its source has no place there at all;
 * - `expired`: searched too long ago;
 * - `failed`: the search failed and was not tried again;
 * - `never`: not searched yet.
 */
export const coverageStates = ["fresh", "empty", "expired", "failed", "never"] as const;
export type CoverageState = (typeof coverageStates)[number];

/** One tile, for one question or for several together. */
export interface CoverageCell {
  readonly tile: Tile;
  /** Absent: for all phrases of the campaign together. */
  readonly phrase?: string;
  readonly state: CoverageState;
  /** Places found, summed over all questions; a place that two questions found counts twice. */
  readonly found: number;
  /** The time of the oldest search that is still valid, ISO 8601. Absent if there is none. */
  readonly at?: string;
  /** When the first of the valid searches expires, ISO 8601. */
  readonly expires?: string;
}

export interface CoverageOptions {
  readonly campaign: Pick<Campaign, "freshness">;
  /** The whole plan: all counts of tiles are based on it. */
  readonly targets: readonly Target[];
  /** By tile id. */
  readonly witnesses: ReadonlyMap<string, Witnesses>;
  readonly nowMs: number;
  /** Whether a source can have any place in a tile; absent if unknown. */
  readonly mayHave?: (target: Target) => boolean;
  /** Whether the search of a target has failed. */
  readonly hasFailed?: (target: Target) => boolean;
  /** One cell for each tile, or for each tile and phrase. */
  readonly by: "tile" | "phrase";
}

/** The state of one question of the plan. */
export interface Look {
  readonly target: Target;
  readonly witness: Witness | undefined;
  /** The times of the witness. */
  readonly times: WitnessTimes | undefined;
  readonly state: CoverageState;
}

/** Yields each question of the plan once, in its order. */
export function* looksOf(options: Omit<CoverageOptions, "by">): Generator<Look> {
  const { targets, witnesses, campaign } = options;
  for (const target of targets) {
    const witness = witnessOf(witnesses.get(target.tile.id), target);
    const times = witness && timesOf(witness, campaign.freshness);
    yield { target, witness, times, state: stateOf({ target, witness, times }, options) };
  }
}

/** In the order of the plan. */
export function campaignCoverage(options: CoverageOptions): readonly CoverageCell[] {
  const cells = createCells(options);
  for (const look of looksOf(options)) cells.add(look);
  return cells.result();
}

/** Builds cells from the states of questions. */
export function createCells({ by }: Pick<CoverageOptions, "by">) {
  const cells: Gathered[] = [];
  const byTile = new Map<string, Map<string, Gathered>>();
  return {
    add({ target, witness, times, state }: Look): void {
      const { tile, phrase } = target;
      let ofTile = byTile.get(tile.id);
      if (!ofTile) byTile.set(tile.id, (ofTile = new Map()));
      const key = by === "tile" ? "" : phrase;
      let cell = ofTile.get(key);
      if (!cell) {
        cell = { tile, phrase, worst: 0, found: 0, atMs: Infinity, expiresMs: Infinity };
        ofTile.set(key, cell);
        cells.push(cell);
      }
      cell.worst = Math.max(cell.worst, ranks.indexOf(state));
      if (!witness || !times) return;
      cell.found += witness.found;
      cell.atMs = Math.min(cell.atMs, times.atMs);
      cell.expiresMs = Math.min(cell.expiresMs, times.expiresMs);
    },
    result: (): readonly CoverageCell[] => cells.map((cell) => cellOf(cell, by)),
  };
}

/**
 * From best to worst: a cell has the worst state of its questions. Places for one of them make it
 * fresh rather than empty.
 */
const ranks: readonly CoverageState[] = ["empty", "fresh", "expired", "never", "failed"];

interface Gathered {
  readonly tile: Tile;
  readonly phrase: string;
  worst: number;
  found: number;
  atMs: number;
  expiresMs: number;
}

function stateOf(
  { target, witness, times }: Omit<Look, "state">,
  {
    campaign,
    nowMs,
    mayHave,
    hasFailed,
  }: Pick<CoverageOptions, "campaign" | "nowMs" | "mayHave" | "hasFailed">,
): CoverageState {
  const state = witnessState(witness, campaign.freshness, nowMs, times);
  if (state === "fresh" || state === "empty") return state;
  if (mayHave && !mayHave(target)) return "empty";
  if (hasFailed?.(target) === true) return "failed";
  return state === "none" ? "never" : "expired";
}

const cellOf = (cell: Gathered, by: CoverageOptions["by"]): CoverageCell => ({
  tile: cell.tile,
  ...(by === "phrase" && { phrase: cell.phrase }),
  state: ranks[cell.worst]!,
  found: cell.found,
  ...(cell.atMs < Infinity && {
    at: new Date(cell.atMs).toISOString(),
    expires: new Date(cell.expiresMs).toISOString(),
  }),
});

export type CoverageCounts = Readonly<Record<CoverageState, number>>;

export function countCells(cells: Iterable<Pick<CoverageCell, "state">>): CoverageCounts {
  const counts = { fresh: 0, empty: 0, expired: 0, failed: 0, never: 0 };
  for (const { state } of cells) counts[state] += 1;
  return counts;
}
