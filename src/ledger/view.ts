import { compareText, dotOf, type Datagram } from "./datagram/datagram.ts";
import { copyCell, createCell, cutCell, mergeInto, type Cell } from "./fold/cell.ts";
import { isErased, isMarker } from "./fold/erased.ts";
import { visibleOf } from "./fold/lane.ts";
import {
  forgottenField,
  isForgotten,
  mergedIntoField,
  type TargetState,
} from "./fold/part-state.ts";

/** A target as people see it. */
export interface TargetView {
  readonly target: string;
  /** Nothing of it is shown until it is unforgotten. */
  readonly isForgotten: boolean;
  /** The target that it was merged into, if any. */
  readonly mergedInto: string | undefined;
  /** Sorted by name. Only fields that have a value. */
  readonly fields: readonly FieldView[];
  readonly conflicts: readonly ConflictView[];
  /** The markers of fields that were erased, and when; absent if there are none. */
  readonly erased?: Readonly<Record<string, string>>;
}

/** Whether an earlier write to a field of this target was erased. */
export function wasErased(
  { target, erased }: Pick<TargetView, "target" | "erased">,
  { field, stamp }: Pick<FieldView, "field" | "stamp">,
): boolean {
  if (erased === undefined) return false;
  return isErased(new Map(Object.entries(erased)), { target, field, stamp, value: "" });
}

export interface FieldView {
  readonly field: string;
  readonly value: unknown;
  readonly source: string;
  readonly stamp: string;
  readonly node: string;
  /** Identifies the write it comes from: `node/session/number`. */
  readonly dot: string;
}

export interface ConflictView extends FieldView {
  readonly target: string;
  /** The visible value; undefined if the field has none. */
  readonly shown: unknown;
}

export interface ConflictPage {
  readonly conflicts: readonly ConflictView[];
  /** The `after` of the next page; absent: there is none. */
  readonly next?: string;
}

/**
 * `merged` are the targets that were merged into this one: writes to them after the merge count
 * here. Conflicts between writes are decided as if all were of one target.
 */
export function viewTarget(
  target: string,
  own: TargetState,
  merged: readonly TargetState[] = [],
): TargetView {
  const isGone = isForgotten(own);
  const cells = isGone ? new Map<string, Cell>() : joined(own, merged);
  const fields: FieldView[] = [];
  const conflicts: ConflictView[] = [];
  for (const field of [...cells.keys()].sort(compareText)) {
    if (field === forgottenField || isMarker(field)) continue;
    const cell = cells.get(field)!;
    const shown = visibleOf(cell);
    if (shown) fields.push(fieldView(shown));
    for (const loser of cell.conflicts) {
      if (loser.value === shown?.value) continue;
      conflicts.push({ ...fieldView(loser), target, shown: parsed(shown?.value) });
    }
  }
  const into = isGone ? undefined : mergedInto(own)?.into;
  const erased = !isGone && own.markers && { erased: Object.fromEntries(own.markers) };
  return { target, isForgotten: isGone, mergedInto: into, fields, conflicts, ...erased };
}

/** The target that this one was merged into, and since when. */
export function mergedInto(fields: TargetState) {
  const cell = fields.get(mergedIntoField);
  const write = cell && visibleOf(cell);
  const into = parsed(write?.value);
  return write && typeof into === "string" ? { into, stamp: write.stamp } : undefined;
}

function joined(own: TargetState, merged: readonly TargetState[]): ReadonlyMap<string, Cell> {
  if (merged.length === 0) return own;
  const cells = new Map(own);
  for (const other of merged) {
    const since = mergedInto(other)?.stamp;
    if (since === undefined) continue;
    for (const [field, cell] of other) {
      if (field === mergedIntoField || field === forgottenField) continue;
      const later = cutCell(cell, ({ stamp }) => stamp <= since);
      const sum = copyCell(cells.get(field) ?? createCell());
      for (const entry of later.lanes) if (entry) mergeInto(sum, entry.datagram);
      sum.conflicts = [...sum.conflicts, ...later.conflicts];
      cells.set(field, sum);
    }
  }
  return cells;
}

const fieldView = (datagram: Datagram): FieldView => {
  const { field, value, source, stamp, node } = datagram;
  return { field, value: parsed(value), source, stamp, node, dot: dotOf(datagram) };
};

const parsed = (json: string | undefined): unknown =>
  json === undefined ? undefined : (JSON.parse(json) as unknown);
