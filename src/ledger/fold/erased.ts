import { createHash } from "node:crypto";
import type { Datagram } from "../datagram/datagram.ts";
import { cutCell, isEmptyCell, type Cell } from "./cell.ts";

/**
 * Erasing takes one field of a target away together with everything that was ever written to it. The
 * name of the field can be personal data itself (`email/anna@a.b`), so no record of it may stay. A
 * marker on the target says what was erased: the element `erased/SALT.HASH`, whose name has a salted
 * hash of target and field. Invariants:
 * - a datagram of that field counts only if it is later than the marker, or if it is a value of the
 *   same stamp: the commit of the marker may set the field to a new value, and its removals go too;
 * - that depends on the set of datagrams, not on their order, because a marker only ever gets later.
 */
export const erasedPrefix = "erased/";

export const markerOf = (salt: string, place: Pick<Datagram, "target" | "field">): string =>
  `${erasedPrefix}${salt}.${hashOfField(salt, place)}`;

const hashOfField = (salt: string, { target, field }: Pick<Datagram, "target" | "field">) =>
  createHash("sha256").update(`${salt}\n${target}\n${field}`).digest("hex");

export const isMarker = (field: string): boolean => field.startsWith(erasedPrefix);

const saltOf = (marker: string): string =>
  marker.slice(erasedPrefix.length, marker.lastIndexOf("."));

/** The markers of one target: when each was last written. */
export type Markers = ReadonlyMap<string, string>;

/** Whether a datagram was erased, according to the markers of its target. */
export function isErased(
  markers: Markers,
  datagram: Pick<Datagram, "target" | "field" | "stamp" | "value">,
): boolean {
  if (isMarker(datagram.field)) return false;
  const floor = floorOf(markers, datagram);
  return floor !== undefined && isUpTo(floor, datagram);
}

/** When the field was last erased. */
function floorOf(markers: Markers, place: Pick<Datagram, "target" | "field">): string | undefined {
  let floor: string | undefined;
  for (const salt of new Set([...markers.keys()].map(saltOf))) {
    const stamp = markers.get(markerOf(salt, place));
    if (stamp !== undefined && (floor === undefined || stamp > floor)) floor = stamp;
  }
  return floor;
}

const isUpTo = (floor: string, { stamp, value }: Pick<Datagram, "stamp" | "value">): boolean =>
  stamp < floor || (stamp === floor && value === undefined);

/** The markers among the fields of a target; undefined: it has none. */
export function markersOf(fields: ReadonlyMap<string, Cell>): Markers | undefined {
  const markers = new Map<string, string>();
  for (const [field, cell] of fields) {
    if (!isMarker(field)) continue;
    for (const entry of cell.lanes) {
      const stamp = entry?.datagram.stamp ?? "";
      if (stamp > (markers.get(field) ?? "")) markers.set(field, stamp);
    }
  }
  return markers.size > 0 ? markers : undefined;
}

/** Takes what was erased out of the fields of a target. */
export function eraseFrom(target: string, fields: Map<string, Cell>, markers: Markers): void {
  for (const [field, cell] of fields) {
    const floor = isMarker(field) ? undefined : floorOf(markers, { target, field });
    if (floor === undefined) continue;
    const left = cutCell(cell, (datagram) => isUpTo(floor, datagram));
    // What its names refer to is older still, so it will be dropped when it arrives.
    const isGone = isEmptyCell({ ...left, names: [] });
    if (isGone) fields.delete(field);
    else fields.set(field, left);
  }
}
