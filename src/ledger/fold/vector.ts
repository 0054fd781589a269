import type { Datagram, Dot } from "../datagram/datagram.ts";

/**
 * What is known, exactly: for each session the number of its last known datagram, and of the last
 * segment of it that was read from the bucket. Numbers have no gaps, so this is all there is to say.
 */
export type Vector = Map<SessionKey, Mark>;

/** `node/session` */
export type SessionKey = string;

export interface Mark {
  readonly number: number;
  readonly segment: number;
}

export const sessionKey = ({ node, session }: Pick<Datagram, "node" | "session">): SessionKey =>
  `${node}/${session}`;

export const noMark: Mark = { number: 0, segment: 0 };

export const markAt = (vector: ReadonlyMap<SessionKey, Mark>, key: SessionKey): Mark =>
  vector.get(key) ?? noMark;

/** Whether a datagram was folded already: not one that is kept aside. */
export function hasFolded(
  vector: ReadonlyMap<SessionKey, Mark>,
  aside: ReadonlyMap<Dot, Datagram>,
): (dot: Dot) => boolean {
  return (dot) => {
    const at = dot.lastIndexOf("/");
    return Number(dot.slice(at + 1)) <= markAt(vector, dot.slice(0, at)).number && !aside.has(dot);
  };
}
