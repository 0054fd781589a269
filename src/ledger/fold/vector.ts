import type { Datagram, Dot } from "../datagram/datagram.ts";

/**
 * For each session the number of its last known datagram. Numbers have no gaps, so this says
 * exactly what is known.
 */
export type Vector = ReadonlyMap<SessionKey, number>;

/** `node/session` */
export type SessionKey = string;

export function sessionKey({ node, session }: Pick<Datagram, "node" | "session">): SessionKey {
  // Called several times for each datagram; most have the session of the one before.
  if (node !== newest.node || session !== newest.session) {
    newest = { node, session, key: `${node}/${session}` };
  }
  return newest.key;
}
let newest = { node: "", session: "", key: "/" };

export const lastKnown = (vector: Vector, key: SessionKey): number => vector.get(key) ?? 0;

export const isCovered = (
  vector: Vector,
  datagram: Pick<Datagram, "node" | "session" | "number">,
): boolean => datagram.number <= lastKnown(vector, sessionKey(datagram));

/** Whether a dot is folded: it has arrived and is not held back. */
export function hasFolded(
  vector: Vector,
  heldBack: { has(dot: Dot): boolean },
): (dot: Dot) => boolean {
  return (dot) => {
    const at = dot.lastIndexOf("/");
    return Number(dot.slice(at + 1)) <= lastKnown(vector, dot.slice(0, at)) && !heldBack.has(dot);
  };
}
