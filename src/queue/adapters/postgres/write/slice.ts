import { laneKey } from "../../../lane.ts";
import { createSlice, type Slice, type SliceParts } from "../../../slice/slice.ts";
import type { PostgresGateRow, PostgresLaneRow } from "../rows/rows.ts";

/**
 * A slice whose rows are locked. The counters of its jobs start at zero, so that afterwards they
 * show what must be added.
 */
export interface LockedSlice extends Slice<PostgresGateRow> {
  /** By `laneKey`. */
  readonly lanes: ReadonlyMap<string, PostgresLaneRow>;
  /** By `scopeKey`. */
  readonly scopes: ReadonlyMap<string, number>;
  /** Gates that may be written. */
  readonly lockedGates: ReadonlySet<string>;
}

export interface LockedParts extends SliceParts<PostgresGateRow> {
  readonly lanes?: readonly PostgresLaneRow[];
  readonly scopes?: ReadonlyMap<string, number>;
  readonly lockedGates?: ReadonlySet<string>;
}

export const createLockedSlice = (parts: LockedParts): LockedSlice => ({
  ...createSlice(parts),
  lanes: new Map((parts.lanes ?? []).map((lane) => [laneKey(lane), lane])),
  scopes: parts.scopes ?? new Map(),
  lockedGates: parts.lockedGates ?? new Set(),
});
