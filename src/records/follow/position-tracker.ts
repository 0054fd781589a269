import type { Datagram, LedgerPosition } from "../../ledger/index.ts";

/**
 * How far files and index have followed the ledger. A position is stored only if everything before
 * it is rendered. The order of rendering differs from the order of writing, so ranges that were
 * rendered beyond a gap wait until the gap is closed.
 */
export interface PositionTracker {
  position(): LedgerPosition | undefined;
  /** These are rendered. Returns the position if it has advanced. */
  rendered(datagrams: readonly Datagram[]): LedgerPosition | undefined;
  /** Everything up to this position is rendered. */
  reached(position: LedgerPosition): LedgerPosition;
  /** Starts again from a stored position; undefined: from the beginning. */
  restart(position: LedgerPosition | undefined): void;
}

export function createPositionTracker(start: LedgerPosition | undefined): PositionTracker {
  let now = start;
  /** By session: first → last number of each range rendered beyond the position. */
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
  /** Removes ranges that the position has passed; a range that extends further advances it. */
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
    restart(position) {
      now = position;
      beyond.clear();
    },
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
