import zlib from "node:zlib";
import { compareDatagrams, type Datagram } from "../datagram/datagram.ts";
import { createCell, cutCell, isEmptyCell, mergeInto, type Cell } from "./cell.ts";

/** What is known of the targets of one part: target → field → cell. */
export type PartState = Map<string, TargetState>;
export type TargetState = Map<string, Cell>;

export const partCount = 256;

/** Which part a target belongs to. Part of the format: it never changes. */
export const partOf = (target: string): number => partOfChecksum(zlib.crc32(target));
export const partOfChecksum = (checksum: number): number => checksum & (partCount - 1);

/** A target with this field set is forgotten: none of it is shown, whatever its stamp. */
export const forgottenField = "forgotten";
/** The target that this one was merged into; later writes to this one count there. */
export const mergedIntoField = "mergedInto";

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
  mergeInto(cellOf(fields, field), datagram, record);
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
    const left = cutCell(cell, floor);
    if (isEmptyCell(left)) fields.delete(field);
    else fields.set(field, left);
  }
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
