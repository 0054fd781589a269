import type { CommitExchange, Exchange, RecordRange } from "../../exchange/exchange.ts";
import { rangeAsText, rangeFromText, type Ask, type RangeText } from "./asks.ts";
import type { LookNow } from "./door-guest.ts";

export interface SharedExchangeOptions {
  readonly ask: (ask: Ask) => Promise<unknown>;
  readonly look: () => LookNow;
  /** Where this process holds the ledger, it need not ask. */
  readonly held: () => Exchange | undefined;
  /** Somebody follows from now on: there must be a holder who tells. */
  readonly onFollow: () => void;
}

export interface SharedExchange extends CommitExchange {
  /** What was written, by whichever process, as the holder of the moment tells it. */
  tell(range: RecordRange): void;
  isFollowed(): boolean;
}

/** The exchange of a ledger that another process may hold. */
export function createSharedExchange(options: SharedExchangeOptions): SharedExchange {
  const { ask, look, held, onFollow } = options;
  const listeners = new Set<(range: RecordRange) => void>();
  return {
    vector() {
      const own = held();
      if (own) return own.vector();
      const { vector, limits } = look();
      if (limits.size === 0) return vector;
      const told = new Map(vector);
      for (const [key, number] of limits) {
        if (number === 0) told.delete(key);
        else told.set(key, number);
      }
      return told;
    },
    async read(wanted) {
      // JSON knows no "without end".
      const [to, bytesMax] = [wanted.to, wanted.bytesMax].map((one) =>
        Math.min(one, Number.MAX_SAFE_INTEGER),
      ) as [number, number];
      const asked = ask({ op: "readRange", ...wanted, to, bytesMax });
      const found = (await asked) as RangeText | null | undefined;
      return found ? rangeFromText(found) : undefined;
    },
    async take(range) {
      const { origin, from, records } = rangeAsText(range);
      await ask({ op: "takeRange", origin, from, records: [...records] });
    },
    follow(listener) {
      listeners.add(listener);
      onFollow();
      return () => void listeners.delete(listener);
    },
    tell(range) {
      for (const listener of listeners) listener(range);
    },
    isFollowed: () => listeners.size > 0,
  };
}
