import type { Datagram } from "../datagram/datagram.ts";
import type { Cell } from "./cell.ts";

/**
 * Sources have ranks, and within a rank the last write wins: each field has one lane per rank. What
 * people write beats every machine, until they unset it: that releases the field, and machine
 * writes *after* that count again. For names, a place beats a web site, because sites put their
 * slogans there. Each lane keeps only its last write, so merging is independent of order.
 */
export const lanes = { hand: 0, place: 1, other: 2 } as const;
export const laneCount = 3;

const placeFirst: ReadonlySet<string> = new Set(["name"]);

export function laneOf({ source, field }: Pick<Datagram, "source" | "field">): number {
  if (source.startsWith("hand:")) return lanes.hand;
  return placeFirst.has(field) && source.startsWith("place:") ? lanes.place : lanes.other;
}

/** The write whose value is visible; undefined if the field has no value. */
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

/**
 * The write that a writer of this source overwrites: the last one of its own lane, else the visible
 * one.
 */
export function seenBy(cell: Cell, writer: Pick<Datagram, "source" | "field">) {
  return cell.lanes[laneOf(writer)]?.datagram ?? visibleOf(cell);
}
