import { coverageStates, type CoverageCell } from "../../campaign/index.ts";

const dayMs = 86_400_000;
const dayOf = (moment: string | undefined) =>
  moment === undefined ? null : Math.floor(Date.parse(moment) / dayMs);

/**
 * South, west, state, places, day of the search, day of expiry. Short, because a campaign can have
 * 50,000.
 */
export type CoverageValues = [number, number, number, number, number | null, number | null];

export const coverageRow = ({ tile, state, found, at, expires }: CoverageCell): CoverageValues => [
  tile.south,
  tile.west,
  coverageStates.indexOf(state),
  found,
  dayOf(at),
  dayOf(expires),
];
