import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import { systemRandom } from "../../base/random.ts";
import type { Paths, Settings } from "../../config/index.ts";
import { checkpointCommit, compactOnce, type Compacted } from "../../ledger/index.ts";
import type { NodeLedger } from "../../node/index.ts";
import { fleetBucketAddress, openFleetBucket } from "../bucket/fleet-bucket.ts";
import { hubPartsIn } from "./open-ledger.ts";

export interface CompactLedgerOptions {
  readonly settings: Settings;
  readonly paths: Paths;
  readonly ledger: NodeLedger;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Overrides the setting `bucket.url`. */
  readonly bucketAddress?: string | undefined;
  /** How long a checkpoint must exist before what it covers is deleted. */
  readonly graceMs?: number | undefined;
  readonly hasArchive?: boolean | undefined;
}

const graceMsDefault = 3_600_000;

/** Folds everything in the fleet's bucket into one checkpoint, and records it in the ledger. */
export async function compactLedger(options: CompactLedgerOptions): Promise<Compacted> {
  const { settings, paths, ledger, clock, log } = options;
  const { graceMs = graceMsDefault, hasArchive = settings.ledger.archive === "keep" } = options;
  await using bucket = await openFleetBucket(options, "hub");
  const address = await fleetBucketAddress(options);
  await ledger.push({ bucket: address });
  return await compactOnce({
    ...(await hubPartsIn(paths)),
    graceMs,
    hasArchive,
    bucket,
    clock,
    random: systemRandom,
    log,
    owner: (await ledger.status()).node,
    async onCheckpoint(manifest) {
      await ledger.write(checkpointCommit(manifest));
      await ledger.push({ bucket: address });
    },
  });
}
