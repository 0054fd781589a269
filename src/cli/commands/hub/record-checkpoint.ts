import { AppError } from "../../../base/app-error.ts";
import { checkpointCommit, type HubOptions } from "../../../ledger/index.ts";
import type { NodeLedger } from "../../../node/index.ts";

export interface RecordCheckpointOptions {
  /** The address of the fleet's bucket. */
  readonly bucket: string;
  /**
   * Uses the open ledger, or opens it for this call: a hub does not own the data folder while it
   * works.
   */
  readonly withLedger: (use: (ledger: NodeLedger) => Promise<void>) => Promise<void>;
  readonly note: (text: string) => void;
}

/** Records in the ledger that a checkpoint was made, and by which hub. */
export function recordCheckpoint({
  bucket,
  withLedger,
  note,
}: RecordCheckpointOptions): NonNullable<HubOptions["onCheckpoint"]> {
  return async (manifest) => {
    try {
      await withLedger(async (ledger) => {
        await ledger.write(checkpointCommit(manifest));
        await ledger.push({ bucket });
      });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "node_in_use") throw error;
      note(
        `checkpoint ${manifest.number} was not recorded in the ledger: another process owns the data folder`,
      );
    }
  };
}
