import { dotOf } from "../../datagram/datagram.ts";
import type { Ledger } from "../../ledger.ts";
import type { Look } from "./asks.ts";

/** Tells one guest what has changed since the last look; nothing where nothing has. */
export function createLookout(tell: (look: Look) => void) {
  let last: string | undefined;
  let told = new Map<string, number>();
  return {
    look(ledger: Pick<Ledger, "status" | "vector" | "quarantine" | "exchange">): void {
      const status = ledger.status();
      const quarantine = ledger.quarantine();
      const limits = limitsOf(ledger);
      const now = JSON.stringify([status, limits, quarantine.map(dotOf)]);
      if (now === last) return;
      last = now;
      const vector = new Map(ledger.vector());
      const changed = [...vector].filter(([key, number]) => told.get(key) !== number);
      // Sessions that have ended leave the vector: then all of it is told.
      const isWhole = [...told.keys()].some((key) => !vector.has(key)) || told.size === 0;
      told = vector;
      tell({ status, vector: isWhole ? [...vector] : changed, isWhole, limits, quarantine });
    },
  };
}

/** Where what others may know is not what this node knows: as a rule nowhere. */
export function limitsOf(
  ledger: Pick<Ledger, "vector" | "exchange">,
): readonly (readonly [string, number])[] {
  const told = ledger.exchange.vector();
  return [...ledger.vector()].flatMap(([key, number]) => {
    const limit = told.get(key) ?? 0;
    return limit < number ? [[key, limit] as const] : [];
  });
}
