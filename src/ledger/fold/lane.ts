import type { Datagram } from "../datagram/datagram.ts";
import type { Cell } from "./cell.ts";

/**
 * Sources have ranks, and within a rank the last write wins: one lane for each rank of a field.
 * What people write beats every machine, until they unset it: that releases the field, and what
 * machines write *after* it counts again. For names, a place beats a web site, because sites put
 * their slogans there. Every lane keeps only its last write, so joining them is order-free.
 */
export const lanes = { hand: 0, place: 1, other: 2 } as const;
export const laneCount = 3;

const placeFirst: ReadonlySet<string> = new Set(["name"]);

export function laneOf({ source, field }: Pick<Datagram, "source" | "field">): number {
  if (source.startsWith("hand:")) return lanes.hand;
  return placeFirst.has(field) && source.startsWith("place:") ? lanes.place : lanes.other;
}

/** The write whose value the field has; undefined where it has none. */
export function visibleOf(cell: Cell): Datagram | undefined {
  const hand = cell.lanes[lanes.hand]?.datagram;
  if (hand?.value !== undefined) return hand;
  const releasedAt = hand?.stamp ?? "";
  for (let lane = lanes.place; lane < laneCount; lane++) {
    const datagram = cell.lanes[lane]?.datagram;
    if (datagram?.value !== undefined && datagram.stamp > releasedAt) return datagram;
  }
  return undefined;
}

/** What a writer of this source overwrites: its own lane's last write, else what is visible. */
export function seenBy(cell: Cell, writer: Pick<Datagram, "source" | "field">) {
  return cell.lanes[laneOf(writer)]?.datagram ?? visibleOf(cell);
}
