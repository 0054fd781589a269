import type { Commit } from "../changes.ts";
import { checkpointTarget } from "./keys.ts";
import type { CheckpointManifest } from "./manifest.ts";

/** Records in the ledger itself that a checkpoint was made, and by which hub. */
export function checkpointCommit({ number, epoch, madeAtMs, hub }: CheckpointManifest): Commit {
  const value = { number, epoch, madeAtMs, hub };
  return {
    source: "system",
    changes: [{ target: checkpointTarget, field: "sync_checkpoint", value }],
  };
}
