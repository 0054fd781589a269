import { csvLine } from "../records/index.ts";
import { boxOf } from "../sources/index.ts";
import type { Target } from "./plan.ts";

export const targetIndexColumns = [
  "tile",
  "phrase",
  "south",
  "west",
  "north",
  "east",
  "location",
] as const;

/** The target index as CSV (RFC 4180), for people and spreadsheets: `targets.csv`. */
export function encodeTargetIndex(targets: readonly Target[]): string {
  const lines = targets.map(({ tile, phrase, location }) => {
    const { south, west, north, east } = boxOf(tile);
    const edges = [south, west, north, east].map((degrees) => degrees.toFixed(1));
    return `${tile.id},${csvLine([phrase, ...edges, location])}`; // an id is trusted text
  });
  return [csvLine(targetIndexColumns), ...lines].join("");
}
