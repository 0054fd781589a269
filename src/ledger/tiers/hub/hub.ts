import { sleep, type Clock } from "../../../base/clock.ts";
import type { Logger } from "../../../base/log/logger.ts";
import type { Random } from "../../../base/random.ts";
import type { Service } from "../../../base/service.ts";
import {
  createLease,
  createLeaseKeeper,
  createRetryingBucket,
  isUnavailable,
  leaseMarginMsDefault,
  leaseTtlMsDefault,
  requireFitBucket,
  requireFitness,
  type Bucket,
  type BucketLease,
} from "../../../bucket/index.ts";
import { createPhysicalTime } from "../../clock/physical-time.ts";
import { createInlineFoldWorker, type FoldWorker } from "./fold-worker.ts";
import { createMemorySpill, type Spill } from "../../fold/spill.ts";
import { foldRound, type HubContext } from "./hub-fold.ts";
import { hubLease } from "../keys.ts";
import type { CheckpointManifest } from "../manifest.ts";
import { prune, type Pruned } from "./prune.ts";

export interface HubOptions {
  /** Without retries: the hub repeats what may be repeated. */
  readonly bucket: Bucket;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The name of this node, for people. */
  readonly owner: string;
  /** The time between two checks for something to fold. */
  readonly intervalMs?: number;
  /** How long the older of two checkpoints must exist before what it covers is deleted. */
  readonly graceMs?: number;
  /** Whether folded segments are kept for history. */
  readonly hasArchive?: boolean;
  readonly ttlMs?: number;
  readonly marginMs?: number;
  /**
   * How old the test of the store's conditional writes may be: "daily": up to a day. Absent: it is
   * always repeated.
   */
  readonly probe?: "always" | "daily";
  /** Ends `compactOnce` early; unfinished work becomes garbage. */
  readonly signal?: AbortSignal;
  /** Called after each checkpoint, while the role is held. */
  readonly onCheckpoint?: (manifest: CheckpointManifest) => Promise<void>;
  /** Where to keep records during a fold; absent: in memory, which folds less at a time. */
  readonly openSpill?: () => Spill;
  /** Absent: this thread computes. */
  readonly openFoldWorker?: () => FoldWorker;
}

export const hubIntervalMsDefault = 60_000;
export const pruneGraceMsDefault = 3_600_000;

export interface Compacted {
  /** "taken": another node is the hub. "lost": another node took the role meanwhile. */
  readonly status: "done" | "taken" | "lost";
  readonly checkpoint: number | undefined;
  readonly datagrams: number;
  readonly pruned: Pruned;
  readonly faults: readonly string[];
}

const noneHere: Omit<Compacted, "status"> = {
  checkpoint: undefined,
  datagrams: 0,
  pruned: { segments: 0, checkpoints: 0, parts: 0 },
  faults: [],
};

/** Limits the rounds of one run: what comes meanwhile can wait for the next. */
const roundsMax = 100;

/**
 * Takes the role, folds everything, prunes, and releases the role. Refuses a store that is not fit.
 */
export async function compactOnce(options: HubOptions): Promise<Compacted> {
  await requireFitness({ ...options, probe: options.probe ?? "always" });
  const { lease, ttlMs } = leaseFor(options);
  const taken = await lease.acquire();
  if (taken.status !== "held") return { status: "taken", ...noneHere };
  const over = new AbortController();
  const renewing = renewUntil(lease, ttlMs, options.clock, over.signal);
  try {
    const isHeld = () => lease.isHeld() && options.signal?.aborted !== true;
    return await compact({ ...options, lease, epoch: taken.epoch, isHeld });
  } finally {
    over.abort();
    await renewing;
    if (lease.isHeld()) await lease.release();
  }
}

/** Runs the hub of a fleet until it is stopped. Refuses to start on a store that is not fit. */
export function createHub(options: HubOptions): Service {
  const keeper = createHubKeeper(options);
  return {
    async start() {
      await requireFitBucket(options);
      await keeper.start();
    },
    stop: () => keeper.stop(),
  };
}

/** Takes the role whenever it is free, and does the hub's work. The store was checked already. */
export function createHubKeeper(options: HubOptions): Service {
  const { clock, random, log, intervalMs = hubIntervalMsDefault } = options;
  const { lease, ttlMs } = leaseFor(options);
  return createLeaseKeeper({
    lease,
    clock,
    random,
    log,
    ttlMs,
    pollMs: intervalMs,
    async work({ epoch, signal, isHeld }) {
      while (!signal.aborted && isHeld()) {
        try {
          const { status, faults } = await compact({ ...options, lease, epoch, isHeld });
          for (const fault of faults) log.error("the ledger has failed", { fault });
          if (status === "lost") return;
        } catch (error) {
          if (!isUnavailable(error)) throw error;
          log.warn("the bucket gave no answer", { error });
        }
        await sleep(clock, intervalMs, signal).catch(() => {});
      }
    },
  });
}

export interface CompactOptions extends HubOptions {
  readonly lease: BucketLease;
  readonly epoch: number;
  readonly isHeld: () => boolean;
}

/** The work of a hub in one run. */
export async function compact(options: CompactOptions): Promise<Compacted> {
  const { clock, random, log, owner, lease, epoch, isHeld, onCheckpoint } = options;
  const { graceMs = pruneGraceMsDefault, hasArchive = true } = options;
  const bucket = createRetryingBucket({ bucket: options.bucket, clock, random });
  const time = createPhysicalTime(clock);
  time.check(await bucket.now());
  const faults = new Set<string>();
  const context: HubContext = {
    bucket,
    clock,
    random,
    hub: owner,
    epoch,
    isHeld,
    nowMs: () => time.nowMs(),
    onFault: (fault) => void faults.add(fault),
    openSpill: options.openSpill ?? createMemorySpill,
    openFoldWorker: options.openFoldWorker ?? createInlineFoldWorker,
  };
  let datagrams = 0;
  let checkpoint: number | undefined;
  for (let round = 0; round < roundsMax; round++) {
    const made = await foldRound(context);
    if (made.status === "lost") {
      return { ...noneHere, status: "lost", checkpoint, datagrams, faults: [...faults] };
    }
    if (made.status === "nothing") break;
    checkpoint = made.manifest.number;
    datagrams += made.datagrams;
    log.info("a checkpoint was made", { checkpoint, epoch, datagrams: made.datagrams });
    await onCheckpoint?.(made.manifest);
  }
  const pruned = await prune({ context, lease, graceMs, hasArchive });
  return { status: "done", checkpoint, datagrams, pruned, faults: [...faults] };
}

function leaseFor(options: HubOptions): { readonly lease: BucketLease; readonly ttlMs: number } {
  const { bucket, clock, random, owner } = options;
  const { ttlMs = leaseTtlMsDefault, marginMs = leaseMarginMsDefault } = options;
  const lease = createLease({ bucket, name: hubLease, owner, clock, random, ttlMs, marginMs });
  return { lease, ttlMs };
}

async function renewUntil(lease: BucketLease, ttlMs: number, clock: Clock, signal: AbortSignal) {
  while (!signal.aborted) {
    await sleep(clock, ttlMs / 3, signal).catch(() => {});
    if (signal.aborted) return;
    try {
      if ((await lease.renew()) === "lost") return;
    } catch (error) {
      if (!isUnavailable(error)) throw error; // otherwise the deadline ends it if the store stays unavailable
    }
  }
}
