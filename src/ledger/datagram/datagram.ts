import type { Stamp } from "../clock/stamp.ts";

/**
 * One fact: at this moment this writer gave this field of this target this value. Immutable. (node,
 * session, number) is its identity, its *dot*: numbers of a session begin at 1 and have no gaps, so
 * one number per session says exactly what is known of that session.
 */
export interface Datagram {
  /** The same for all datagrams of a commit. */
  readonly stamp: Stamp;
  readonly node: string;
  readonly session: string;
  readonly number: number;
  /** The number of the last datagram of its commit: a commit is used whole or not at all. */
  readonly commit: number;
  readonly target: string;
  readonly field: string;
  /** JSON; undefined removes the value. */
  readonly value: string | undefined;
  readonly source: string;
  /** The reference of the value that the writer had seen; "" for none. */
  readonly causality: string;
}

/** `node/session/number` */
export type Dot = string;

export const dotOf = ({ node, session, number }: Datagram): Dot => `${node}/${session}/${number}`;

/** How another datagram names this one as its causality: `stamp/node/session/number`. */
export const referenceOf = (datagram: Datagram): string => `${datagram.stamp}/${dotOf(datagram)}`;

/** The length of a stamp as text. */
export const stampWidth = 29;
export const dotOfReference = (reference: string): Dot => reference.slice(stampWidth + 1);

/** The order in which the last write wins. Total: no two datagrams are equal in it. */
export function compareDatagrams(a: Datagram, b: Datagram): number {
  return (
    compareText(a.stamp, b.stamp) ||
    compareText(a.node, b.node) ||
    compareText(a.session, b.session) ||
    a.number - b.number
  );
}

export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
