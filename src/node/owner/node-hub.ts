import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Random } from "../../base/random.ts";
import type { Bucket } from "../../bucket/index.ts";
import {
  checkpointCommit,
  checkpointTarget,
  createAutoHub,
  type AutoHub,
  type AutoHubOptions,
  type HubMode,
  type Ledger,
  type LedgerSync,
} from "../../ledger/index.ts";

export interface NodeHubOptions {
  readonly mode: HubMode;
  /** The fleet's bucket, with requests counted as the hub's. */
  readonly bucket: Bucket | undefined;
  readonly hasArchive: boolean;
  /** The spill and the fold worker that a fold uses. */
  readonly parts: Pick<AutoHubOptions, "openSpill" | "openFoldWorker">;
  readonly timing?: AutoHubOptions["timing"];
}

export interface CreateNodeHubOptions extends NodeHubOptions {
  readonly ledger: Ledger;
  readonly sync: Pick<LedgerSync, "sync" | "push">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** The part of a node that does the hub's work, if its settings and rights allow it. */
export function createNodeHub(options: CreateNodeHubOptions): AutoHub {
  const { mode, bucket, hasArchive, parts, timing, ledger, sync, clock, random, log } = options;
  if (mode === "never" || !bucket) return noHub;
  return createAutoHub({
    mode,
    bucket,
    clock,
    random,
    log,
    owner: ledger.node(),
    hasArchive,
    ...parts,
    ...(timing && { timing }),
    beyond: () => countBeyond(ledger),
    catchUp: () => sync.sync(),
    async onCheckpoint(manifest) {
      await ledger.write(checkpointCommit(manifest));
      await sync.push();
    },
  });
}

/** A record of a checkpoint does not itself require another checkpoint. */
async function countBeyond(ledger: Ledger): Promise<number> {
  const count = ledger.status().datagramsSinceCheckpoint;
  if (count > fewDatagrams) return count;
  const log = await ledger.log({ from: 0, limit: fewDatagrams });
  return log.some(({ target }) => target !== checkpointTarget) ? count : 0;
}

/** More datagrams than records of checkpoints alone can be. */
const fewDatagrams = 200;

const noHub: AutoHub = {
  ability: () => ({ state: "never" }),
  start: async () => {},
  stop: async () => {},
};
