import { AppError } from "../../base/app-error.ts";
import type { Bucket } from "../../bucket/index.ts";
import type { Core } from "../core.ts";
import { lastKnown } from "../fold/vector.ts";
import type { ReadWriteLock } from "../read-write-lock.ts";
import { move } from "../move.ts";
import { adoptNewest, type AdoptOptions } from "./adopt.ts";
import { readHeads } from "./gather.ts";
import { createHeadWriter, type HeadInfo, type HeadWriter } from "./head.ts";
import { isJournalDamaged } from "../journal/journal-file.ts";
import { countRanges } from "../journal/journal-reader.ts";
import { findNewestManifest } from "./manifest.ts";
import { publish, writeHeartbeat, type Published } from "./publish.ts";
import { createPuller, missingSegment, type Gap, type Pulled } from "./pull.ts";
import { fetchHistory } from "./fetch-history.ts";
import { repairOwn, type Repaired } from "./repair/repair.ts";
import { verifyBucket, type BucketVerified, type VerifyHow } from "./repair/verify-bucket.ts";

/**
 * Synchronises a ledger with a bucket. Appends continue meanwhile; calls run one after the other.
 */
export interface LedgerSync {
  /**
   * Everything: own writes are uploaded, the newest checkpoint and the writes of others are
   * fetched.
   */
  sync(options?: SyncHow): Promise<Synced>;
  /** Reports what `sync` would do, without doing it. */
  preview(): Promise<Preview>;
  /** Only checks the time and uploads own writes. */
  push(): Promise<number>;
  /**
   * Writes this node's head to show that it lives, with other information that later heads repeat.
   * One write, never journalled.
   */
  writeHeartbeat(info: HeadInfo): Promise<void>;
  /** Reads all segments that no checkpoint holds, and reports missing and damaged ones. */
  verify(options?: VerifyHow): Promise<BucketVerified>;
}

export interface SyncHow extends AdoptOptions {
  /** Switches to a newer checkpoint only if it must, which saves a listing. */
  readonly isLight?: boolean;
  /**
   * Checks now that all segments of this node are in the bucket. Otherwise that happens once a day,
   * and after a missing segment of another node was found: a bucket that lost one object may have
   * lost more.
   */
  readonly isRepairing?: boolean;
}

export interface Synced {
  readonly published: number;
  readonly pulled: number;
  readonly fromNodes: number;
  /** The checkpoint that it switched to, if any. */
  readonly adopted: number | undefined;
  /** Datagrams that were written again: their stamps were ahead, or this disk is a clone. */
  readonly moved: number;
  /** Own segments that were missing in the bucket or cut short, and were put back. */
  readonly repaired: number;
  readonly faults: readonly string[];
}

export interface Preview {
  readonly toPublish: number;
  readonly toPull: number;
  readonly checkpoint: number | undefined;
}

/** After a move, publishing is tried again; more than a few moves mean another problem. */
const movesMax = 3;

/** How often own segments are checked, and how many requests a check may cost beside listings. */
const repairMs = 86_400_000;
const repairRequestsMax = 200;

export interface SyncOptions {
  readonly core: Core;
  readonly bucket: Bucket;
  readonly gate: ReadWriteLock;
  /** One at a time: everything that reads the files again or adds datagrams of other nodes. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}

export function createSync({ core, bucket, gate, inTurn }: SyncOptions): LedgerSync {
  const { clock, random } = core.options;
  const isOwn = (session: string) =>
    session === core.session() || core.identity().sessions.includes(session);
  const writer = createHeadWriter({
    bucket,
    clock,
    random,
    isOwn,
    lastNumber: (session) => core.lastNumber(session),
  });
  const heads: HeadWriter = {
    async write(head) {
      const answer = await writer.write(head);
      // This disk may write its node's head, and the time was checked before: its writes may be
      // advertised.
      if (answer === "written") core.settle();
      return answer;
    },
  };
  const puller = createPuller(core, bucket);
  let moved = 0;
  /** Segments of others that were missing at the last sync. */
  let knownGaps: ReadonlySet<string> = new Set();

  const quietly = <T>(work: () => Promise<T>) =>
    gate.close(async () => {
      await core.journal().idle();
      return work();
    });
  /**
   * Repeats work until this node can publish: unpublished datagrams may have to be written again
   * first.
   */
  const whenPublishable = async <T>(work: () => Promise<T | Moving>): Promise<T> => {
    core.time.check(await bucket.now());
    for (let moves = 0; ; moves++) {
      const result = await work();
      if (!isMoving(result)) return result;
      const { reason } = result;
      if (moves === movesMax) throw cannotSettle(reason);
      core.options.log.warn("own datagrams are written again", { reason });
      moved += await quietly(() => move(core, reason));
    }
  };
  const push = () =>
    whenPublishable(async () => {
      const result: Published = await publish(core, bucket, heads);
      return result.status === "published" ? result.datagrams : result;
    });

  const pullAll = async ({ isLight = false, ...options }: SyncHow) => {
    let adopted = isLight ? undefined : await adoptNewest(core, bucket, { ...options, quietly });
    let sum: Pulled = { datagrams: 0, nodes: 0, faults: [], gaps: [] };
    for (;;) {
      const pulled = await puller.pull();
      sum = { ...pulled, datagrams: sum.datagrams + pulled.datagrams };
      if (pulled.gaps.length === 0) return { ...sum, adopted };
      const next = await adoptNewest(core, bucket, { ...options, quietly });
      if (next === undefined) {
        const missing = sum.gaps.map(({ segment, author }) => missingSegment(segment, author));
        return { ...sum, faults: [...sum.faults, ...missing], adopted };
      }
      adopted = next;
    }
  };

  const isRepairDue = () => {
    const { segmentsCheckedAtMs = -Infinity } = core.identity();
    const agoMs = core.time.nowMs() - segmentsCheckedAtMs;
    return agoMs >= repairMs || agoMs < 0;
  };
  const repair = async (isAsked: boolean, gaps: readonly Gap[]): Promise<Repaired> => {
    const isNewGap = gaps.some(({ segment }) => !knownGaps.has(segment));
    knownGaps = new Set(gaps.map(({ segment }) => segment));
    if (!isAsked && !isNewGap && !isRepairDue()) {
      return { segments: 0, faults: [], isComplete: true };
    }
    const requestsMax = isAsked ? Infinity : repairRequestsMax;
    const repaired = await repairOwn({ core, bucket, heads, requestsMax });
    // If it was incomplete, the next sync continues.
    const segmentsCheckedAtMs = repaired.isComplete ? core.time.nowMs() : 0;
    await core.saveIdentity({ segmentsCheckedAtMs });
    if (repaired.segments > 0) {
      const { segments } = repaired;
      core.options.log.warn("segments were missing in the bucket and were put back", { segments });
    }
    return repaired;
  };
  /** Saved for later readers: `forager status` makes no request. */
  const remember = async (faults: readonly string[]) => {
    const kept = faults.slice(0, faultsMax).map((fault) => fault.slice(0, faultLengthMax));
    const { faults: before = [] } = core.identity();
    if (kept.length === before.length && kept.every((one, at) => one === before[at])) return;
    await core.saveIdentity({ faults: kept });
  };

  const syncOnce = async (options: SyncHow): Promise<Synced> => {
    const fetched = await fetchHistory({ core, bucket, puller, quietly });
    moved = fetched.moved;
    const published = await push();
    const { isRepairing = false, ...how } = options;
    const { datagrams, nodes, gaps, adopted, ...pulled } = await pullAll(how);
    const repaired = await repair(isRepairing, gaps);
    const faults = [...fetched.faults, ...pulled.faults, ...repaired.faults];
    await remember(faults);
    return {
      published,
      pulled: fetched.datagrams + datagrams,
      fromNodes: nodes + (fetched.datagrams > 0 ? 1 : 0),
      adopted: adopted ?? fetched.adopted,
      moved,
      repaired: repaired.segments,
      faults,
    };
  };

  /**
   * Damage in data that was read long ago shows when the data is needed: then everything is read
   * and repaired.
   */
  const mended = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!isJournalDamaged(error) || core.options.isReader === true) throw error;
      core.options.log.error("a journal file is damaged: all journals are read again", { error });
      await quietly(() => core.rebuild());
      return work();
    }
  };

  return {
    push: () => inTurn(() => mended(push)),
    writeHeartbeat: (info) =>
      inTurn(() =>
        whenPublishable<void>(async () => {
          const reason = await writeHeartbeat(core, heads, info);
          if (reason === "cloned") return { status: "must-move", reason };
        }),
      ),
    sync: (options = {}) => inTurn(() => mended(() => syncOnce(options))),
    verify: (options = {}) =>
      inTurn(async () => {
        // A repair writes, and must not do so with a wrong clock or as a clone.
        if (options.isRepairing === true) await push();
        return verifyBucket({ ...options, core, bucket, heads });
      }),
    async preview() {
      const newest = await findNewestManifest(bucket, core.replica().base.number);
      const vector = core.replica().vector();
      let toPull = 0;
      for (const head of await readHeads(bucket, () => {})) {
        if (head.node === core.identity().node) continue;
        for (const { session, number } of head.sessions) {
          toPull += Math.max(0, number - lastKnown(vector, `${head.node}/${session}`));
        }
      }
      return {
        toPublish: countRanges(core.unpublished()),
        toPull,
        checkpoint: newest?.manifest.number,
      };
    },
  };
}

/** Limits of the faults that are saved. */
const [faultsMax, faultLengthMax] = [20, 400];

type Moving = Extract<Published, { status: "must-move" }>;

const isMoving = (result: unknown): result is Moving =>
  (result as Partial<Moving> | undefined)?.status === "must-move";

const cannotSettle = (reason: string) =>
  new AppError(
    "unavailable",
    "ledger_cannot_publish",
    `own datagrams were written again ${movesMax} times (${reason}) and still cannot be published: ` +
      `check this machine's clock, and that its disk runs on no other machine`,
  );
