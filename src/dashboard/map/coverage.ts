/** The state of a campaign's tiles on a given day. */

/**
 * South-west corner in tenths of a degree, the state today, places found, and the days of the
 * search and of its expiry since 1970.
 */
export type CoverageRow = readonly [
  lat10: number,
  lon10: number,
  state: number,
  found: number,
  atDay: number | null,
  expiresDay: number | null,
];

export const tileStates = ["fresh", "aging", "expired", "empty", "failed", "never"] as const;
export type TileState = (typeof tileStates)[number];

/** In the order of the API's numbers. */
export const apiStates = ["fresh", "empty", "expired", "failed", "never"] as const;

export const stateTexts: Readonly<Record<TileState, string>> = {
  fresh: "searched, up to date",
  aging: "searched, more than half of its time is over",
  expired: "searched too long ago",
  empty: "searched, nothing there",
  failed: "the search failed",
  never: "not searched yet",
};

export const tileColours: Readonly<Record<TileState, string>> = {
  fresh: "--tile-fresh",
  aging: "--tile-aging",
  expired: "--tile-expired",
  empty: "--tile-empty",
  failed: "--tile-failed",
  never: "--dim",
};

/** The state of a tile on a day. A search counts from its day until it expires. */
export function stateOnDay(
  [, , state, found, atDay, expiresDay]: CoverageRow,
  day: number,
): TileState {
  // prettier-ignore
  const now = apiStates[state] ?? "never";
  if (atDay === null || expiresDay === null) return now === "failed" ? "failed" : now === "empty" ? "empty" : "never"; // prettier-ignore
  if (atDay > day) return "never";
  if (expiresDay <= day) return "expired";
  if (now === "failed") return "failed";
  if (found === 0) return "empty";
  return day - atDay > (expiresDay - atDay) / 2 ? "aging" : "fresh";
}

export function countStates(
  rows: readonly CoverageRow[],
  day: number,
): Readonly<Record<TileState, number>> {
  // prettier-ignore
  const counts = { fresh: 0, aging: 0, expired: 0, empty: 0, failed: 0, never: 0 };
  for (const row of rows) counts[stateOnDay(row, day)] += 1;
  return counts;
}

/** The name of a tile in the rest of Forager: `30.2_-97.8`. */
export const tileId = (lat10: number, lon10: number): string =>
  `${(lat10 / 10).toFixed(1)}_${(lon10 / 10).toFixed(1)}`;

export const tileAt = (latitude: number, longitude: number) => ({
  lat10: Math.floor(Math.round(latitude * 1e6) / 1e5),
  lon10: Math.floor(Math.round(longitude * 1e6) / 1e5),
});
