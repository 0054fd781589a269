import { AppError } from "../base/app-error.ts";
import {
  checkField,
  checkReference,
  checkSource,
  checkTarget,
  commitBytesMax,
  commitFieldsMax,
  encodeValue,
} from "./datagram/check-input.ts";
import { copyCell, mergeInto } from "./fold/cell.ts";
import { laneOf, seenBy, visibleOf } from "./fold/lane.ts";
import type { TargetState } from "./fold/part-state.ts";
import { referenceOf, type Datagram } from "./datagram/datagram.ts";

/** Sets a field to a value, or removes its value. */
export interface Change {
  readonly target: string;
  readonly field: string;
  /**
   * JSON. `undefined` and `null` mean "not known" and change nothing; use `unset` to remove a
   * value.
   */
  readonly value?: unknown;
  readonly unset?: true;
  /**
   * The reference of the value that the writer had seen, "" for none. Give it if that was an
   * earlier value: a person who edits a file saw the value as it was rendered. Without it, the
   * current value counts as seen.
   */
  readonly seen?: string;
}

export interface Commit {
  readonly source: string;
  readonly changes: readonly Change[];
}

/** A checked change: its value is canonical JSON, undefined to unset. */
export interface CheckedChange {
  readonly target: string;
  readonly field: string;
  readonly json: string | undefined;
  readonly cutBytes: number;
  readonly seen?: string;
}

/** Throws `invalid` for the first fault, before anything is written. */
export function checkCommit({ source, changes }: Commit): readonly CheckedChange[] {
  checkSource(source);
  if (changes.length > commitFieldsMax) {
    const message = `${changes.length} fields in one commit; it takes at most ${commitFieldsMax}: write several`;
    throw new AppError("invalid", "ledger_commit_too_big", message);
  }
  const places = new Set<string>();
  let bytes = 0;
  const checked = changes.flatMap((change): CheckedChange[] => {
    const { target, field, value, unset } = change;
    checkTarget(target);
    checkField(field);
    const place = `${target}\n${field}`;
    if (places.has(place)) {
      const message = `${field} of ${target} is written twice in one commit: choose one value`;
      throw new AppError("invalid", "ledger_field_twice", message);
    }
    places.add(place);
    const seen = change.seen === undefined ? {} : { seen: checkReference(change.seen) };
    if (unset) return [{ target, field, json: undefined, cutBytes: 0, ...seen }];
    if (value === undefined || value === null) return [];
    const { json, cutBytes } = encodeValue(field, value);
    bytes += Buffer.byteLength(json);
    return [{ target, field, json, cutBytes, ...seen }];
  });
  if (bytes > commitBytesMax) {
    const message = `${bytes} bytes in one commit; it takes at most ${commitBytesMax}: write several`;
    throw new AppError("invalid", "ledger_commit_too_big", message);
  }
  return checked;
}

export interface PlannedWrite extends CheckedChange {
  readonly causality: string;
}

/**
 * Lesson 35: a write that changes nothing is not stored. A write changes something if it changes
 * the visible value, or the last value within the rank of its source.
 */
export function planWrites(
  fieldsOf: (target: string) => TargetState | undefined,
  changes: readonly CheckedChange[],
  source: string,
): readonly PlannedWrite[] {
  return changes.flatMap((change): PlannedWrite[] => {
    const { target, field, json } = change;
    const cell = fieldsOf(target)?.get(field);
    if (!cell) return json === undefined ? [] : [{ ...change, causality: change.seen ?? "" }];
    const shown = visibleOf(cell)?.value;
    if (shown === json) return [];
    const seen = seenBy(cell, { source, field });
    const tried = copyCell(cell);
    mergeInto(tried, trial(change, source));
    const after = visibleOf(tried)?.value;
    const own = cell.lanes[laneOf({ source, field })]?.datagram;
    if (after === shown && own && own.value === json) return [];
    return [{ ...change, causality: change.seen ?? (seen ? referenceOf(seen) : "") }];
  });
}

/** The datagram as if it were written now: its stamp is later than all others. */
const trial = ({ target, field, json }: CheckedChange, source: string): Datagram => ({
  stamp: "9999-12-31T23:59:59.999Z-ffff",
  node: "",
  session: "",
  number: 1,
  commit: 1,
  target,
  field,
  value: json,
  source,
  causality: "",
});
