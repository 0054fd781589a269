import type { SharedObject } from "../bucket/index.ts";
import type { Ledger } from "../ledger/index.ts";
import type { DesiredSource } from "./follower.ts";
import { readCommands } from "./ledger-commands.ts";
import type { DesiredState } from "./desired-state.ts";

/**
 * The bucket is read rarely, because each read is a request. A change is still applied within 15
 * seconds.
 */
const bucketEveryMs = 13_000;
/** Reading on this machine costs almost nothing. */
const ledgerEveryMs = 250;

export function desiredInBucket(object: Pick<SharedObject<DesiredState>, "read">): DesiredSource {
  let last: DesiredState | undefined;
  return {
    name: "bucket",
    everyMs: bucketEveryMs,
    async read() {
      const found = await object.read();
      if (found === last) return undefined;
      last = found;
      return found;
    },
  };
}

/** Commands that came by gossip, and commands of this machine. */
export function desiredInLedger(ledger: Pick<Ledger, "node" | "read" | "vector">): DesiredSource {
  let last = "";
  return {
    name: "ledger",
    everyMs: ledgerEveryMs,
    async read() {
      const vector = ledger.vector();
      let sum = 0;
      for (const number of vector.values()) sum += number;
      // Numbers only increase, so nothing has come while size and sum are the same.
      const now = `${ledger.node()} ${vector.size} ${sum}`;
      if (now === last) return undefined;
      const found = await readCommands(ledger, [ledger.node()]);
      last = now;
      return found;
    },
  };
}
