import type { Datagram, Position } from "../ledger/index.ts";

/**
 * How far files and index have come with the ledger. A position may be kept only when all before it
 * is rendered: so what is written and rendered out of turn waits until the gap is closed.
 */
export interface Follower {
  position(): Position | undefined;
  /** These are rendered. Answers the position if it has moved. */
  rendered(datagrams: readonly Datagram[]): Position | undefined;
  /** From the beginning again. */
  restart(): void;
  /** All up to there was rendered by whoever stored it; undefined: nothing counts any more. */
  adopt(position: Position | undefined): void;
  /** All up to there is rendered. */
  reached(position: Position): Position;
}

export function createFollower(start: Position | undefined): Follower {
  let now = start;
  /** By session: first → last number of what is rendered beyond the position. */
  const beyond = new Map<string, Map<number, number>>();
  const advance = (key: string, from: number): number => {
    const ranges = beyond.get(key);
    let last = from;
    for (let next = ranges?.get(last + 1); next !== undefined; next = ranges?.get(last + 1)) {
      ranges!.delete(last + 1);
      last = next;
    }
    return last;
  };
  /** What was passed is not beyond any more; what reaches over it counts. */
  const settle = (key: string, from: number): number => {
    let last = from;
    for (const [first, end] of beyond.get(key) ?? []) {
      if (first > from) continue;
      beyond.get(key)!.delete(first);
      last = Math.max(last, end);
    }
    last = advance(key, last);
    if (beyond.get(key)?.size === 0) beyond.delete(key);
    return last;
  };
  return {
    position: () => now,
    restart: () => void (now = undefined),
    rendered(datagrams) {
      const [first] = datagrams;
      if (!now || !first) return undefined;
      const key = `${first.node}/${first.session}`;
      if (datagrams.at(-1)!.number <= (now.vector[key] ?? 0)) return undefined;
      const ranges = beyond.get(key) ?? new Map<number, number>();
      beyond.set(key, ranges.set(first.number, datagrams.at(-1)!.number));
      const known = now.vector[key] ?? 0;
      const last = advance(key, known);
      if (last === known) return undefined;
      now = { ...now, vector: { ...now.vector, [key]: last } };
      return now;
    },
    adopt(position) {
      now = position;
      if (!position) return beyond.clear();
      const vector = { ...position.vector };
      for (const key of beyond.keys()) vector[key] = settle(key, vector[key] ?? 0);
      now = { ...position, vector };
    },
    reached(position) {
      const vector = { ...position.vector };
      for (const [key, last] of Object.entries(now?.vector ?? {})) {
        if (last > (vector[key] ?? 0)) vector[key] = last;
      }
      for (const [key, last] of Object.entries(vector)) vector[key] = settle(key, last);
      now = { ...position, vector };
      return now;
    },
  };
}
