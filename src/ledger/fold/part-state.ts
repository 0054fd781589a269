import zlib from "node:zlib";
import { compareDatagrams, type Datagram } from "../datagram/datagram.ts";
import { createCell, cutCell, isEmptyCell, mergeInto, type Cell } from "./cell.ts";
import { eraseFrom, isErased, isMarker, markersOf, type Markers } from "./erased.ts";

/** What is known of the targets of one part: target → field → cell. */
export type PartState = Map<string, TargetState>;
export type TargetState = Map<string, Cell> & {
  /** Set if a field was erased: few targets have markers, and every datagram is checked for them. */
  markers?: Markers | undefined;
};

export const partCount = 256;

/** Which part a target belongs to. Part of the format: it never changes. */
export const partOf = (target: string): number => partOfChecksum(zlib.crc32(target));
export const partOfChecksum = (checksum: number): number => checksum & (partCount - 1);

/** A target with this field set is forgotten: none of it is shown, whatever its stamp. */
export const forgottenField = "forgotten";
/** The target that this one was merged into; later writes to this one count there. */
export const mergedIntoField = "mergedInto";

/** The field of a datagram whose content was scrubbed from the logs. */
const scrubbedField = "scrubbed";

export const isScrubbed = ({ field, value }: Datagram): boolean =>
  field === scrubbedField && value === undefined;

/**
 * The same datagram without content. Its number and stamp stay, so the log has no gap. The fold
 * drops it with or without its content, so replicas agree whichever form they have.
 */
export const scrub = (datagram: Datagram): Datagram => ({
  ...datagram,
  field: scrubbedField,
  value: undefined,
  source: "system",
  causality: "",
});

/**
 * Folds one datagram in. `forgotten` is sticky: what was written up to its last change is gone for
 * good, and while it is set, later writes are kept but not shown.
 */
export function foldInto(part: PartState, datagram: Datagram, record?: string): void {
  const { target, field } = datagram;
  let fields = part.get(target);
  if (!fields) part.set(target, (fields = new Map()));
  if (field === forgottenField) return forget(fields, datagram);
  if (fields.has(forgottenField) && datagram.stamp <= floorOf(fields)!.stamp) return;
  if (isScrubbed(datagram)) return;
  if (fields.markers && isErased(fields.markers, datagram)) return;
  mergeInto(cellOf(fields, field), datagram, record);
  if (isMarker(field)) settleErased(target, fields);
}

/** Call it when the fields of a target may have markers that were not applied to it. */
export function settleErased(target: string, fields: TargetState): void {
  fields.markers = markersOf(fields);
  if (fields.markers) eraseFrom(target, fields, fields.markers);
}

/** The cell of a field; creates it if needed. */
export function cellOf(fields: TargetState, field: string): Cell {
  let cell = fields.get(field);
  if (!cell) fields.set(field, (cell = createCell()));
  return cell;
}

function forget(fields: TargetState, datagram: Datagram): void {
  mergeInto(cellOf(fields, forgottenField), datagram);
  const floor = floorOf(fields)!.stamp;
  for (const [field, cell] of fields) {
    if (field === forgottenField) continue;
    const left = cutCell(cell, ({ stamp }) => stamp <= floor);
    if (isEmptyCell(left)) fields.delete(field);
    else fields.set(field, left);
  }
  if (fields.markers) fields.markers = markersOf(fields);
}

/** The last change of `forgotten` in any lane. */
function floorOf(fields: TargetState): Datagram | undefined {
  let last: Datagram | undefined;
  for (const entry of fields.get(forgottenField)?.lanes ?? []) {
    if (entry && (!last || compareDatagrams(entry.datagram, last) > 0)) last = entry.datagram;
  }
  return last;
}

export const isForgotten = (fields: TargetState): boolean => floorOf(fields)?.value !== undefined;
