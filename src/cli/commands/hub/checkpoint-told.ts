import { checkpointTarget, type HubOptions } from "../../../ledger/index.ts";
import type { Ledger, LedgerSync } from "../../../ledger/index.ts";

/** Says in the ledger itself that a checkpoint was made, and by whom. */
export function checkpointTold(
  ledger: Ledger,
  sync: LedgerSync,
): NonNullable<HubOptions["onCheckpoint"]> {
  return async ({ number, epoch, madeAtMs, hub }) => {
    const value = { number, epoch, madeAtMs, hub };
    const change = { target: checkpointTarget, field: "sync_checkpoint", value };
    await ledger.write({ source: "system", changes: [change] });
    await sync.push();
  };
}
