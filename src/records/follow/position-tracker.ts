import type { Datagram, LedgerPosition } from "../../ledger/index.ts";

/**
 * The position in the ledger up to which files and index are rendered. A position is stored only if
 * everything before it is rendered. Datagrams may be rendered in another order than they were
 * written, so a range after a gap does not advance the position until the gap is rendered too.
 */
export interface PositionTracker {
  position(): LedgerPosition | undefined;
  /** Call after these were rendered. Returns the position if it has advanced. */
  rendered(datagrams: readonly Datagram[]): LedgerPosition | undefined;
  /** Call after everything up to this position was rendered. Returns the new position. */
  reached(position: LedgerPosition): LedgerPosition;
  /** Starts again from a stored position; undefined: from the beginning. */
  restart(position: LedgerPosition | undefined): void;
}

export function createPositionTracker(start: LedgerPosition | undefined): PositionTracker {
  let now = start;
  /** The ranges rendered beyond the position, by session: first number → last number. */
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
  /**
   * Removes ranges that begin at or before the position. If one of them ends after the position,
   * the position advances to its end.
   */
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
