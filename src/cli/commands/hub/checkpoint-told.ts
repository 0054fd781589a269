import { AppError } from "../../../base/app-error.ts";
import type { Bucket } from "../../../bucket/index.ts";
import { checkpointTarget, type HubOptions, type Ledger } from "../../../ledger/index.ts";

export interface CheckpointTold {
  readonly bucket: Bucket;
  /** Open already, or opened for the moment: a hub keeps nobody else out of its ledger. */
  readonly withLedger: (use: (ledger: Ledger) => Promise<void>) => Promise<void>;
  readonly note: (text: string) => void;
}

/** Says in the ledger itself that a checkpoint was made, and by whom. */
export function checkpointTold({
  bucket,
  withLedger,
  note,
}: CheckpointTold): NonNullable<HubOptions["onCheckpoint"]> {
  return async ({ number, epoch, madeAtMs, hub }) => {
    const value = { number, epoch, madeAtMs, hub };
    const change = { target: checkpointTarget, field: "sync_checkpoint", value };
    try {
      await withLedger(async (ledger) => {
        await ledger.write({ source: "system", changes: [change] });
        await ledger.withBucket(bucket).push();
      });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "ledger_in_use") throw error;
      note(`checkpoint ${number} is not told in the ledger: another process writes to it`);
    }
  };
}
