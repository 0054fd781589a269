import { boxOf } from "./grid.ts";
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
    return [tile.id, textCell(phrase), ...edges, textCell(location)].join(",");
  });
  return [targetIndexColumns.join(","), ...lines, ""].join("\r\n");
}

/** A spreadsheet must not take text for a formula. */
function textCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
