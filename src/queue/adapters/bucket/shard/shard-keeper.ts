import { AppError } from "../../../../base/app-error.ts";
import { sleep, type Clock } from "../../../../base/clock.ts";
import type { Random } from "../../../../base/random.ts";
import { createSharedObject } from "../../../../bucket/index.ts";
import type { ModelNow } from "../../../model/now.ts";
import type { Operation, Outcomes } from "../../../operation.ts";
import type { Task } from "../../../task.ts";
import { isLogMissing, type Archive } from "../log/archive.ts";
import { createCommitPace } from "../storage/commit-pace.ts";
import type { BucketQueueEvent } from "../head/event.ts";
import { commitOn, listLog, type HeadCommitted, type PreparedLog } from "../head/head-commit.ts";
import { createHeadCodec } from "../head/head-codec.ts";
import { listedNames, type EntryRef, type ShardHead } from "../head/head.ts";
import type { History } from "../log/history.ts";
import { createLogKeeper } from "../log/log-keeper.ts";
import { chargeJobs, type Spending } from "../storage/spending.ts";

/**
 * One shard: its head, changed by compare-and-swap. Invariants:
 * - each commit is one write, and only one write runs at a time. Callers batch: the queue joins
 *   calls into commits, and with several shards a sender joins the operations of a commit for each
 *   shard;
 * - the answers come from the attempt that succeeded;
 * - if a head that existed is missing, that is an error; it is never created again.
 */
export interface ShardKeeper {
  commit(operations: readonly Operation[]): Promise<Settled>;
  /** The current head. Costs a request, which is cheap if nothing has changed. */
  read(): Promise<ShardHead>;
  /** The head when it was last read or written. */
  seen(): ShardHead | undefined;
  /** A head that is not older than this time of the monotonic clock. */
  readSince(monotonicMs: number): Promise<ShardHead>;
  /** Replaces the head by the result of `change`, exactly once. */
  rewrite(change: (head: ShardHead, now: ModelNow) => Promise<ShardHead>): Promise<void>;
  readonly archive: Archive;
  readonly history: History;
  /** Call at the end, when all commits were answered. */
  end(): Promise<void>;
}

export interface Settled {
  readonly head: ShardHead;
  readonly answers: Outcomes;
  readonly purged: readonly Task[];
}

export interface ShardKeeperOptions {
  readonly spending: Spending;
  readonly key: string;
  readonly session: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly archive: Archive;
  readonly history: History;
  /** The store's clock, not before the given moment. */
  readonly moment: (notBeforeMs: number) => Promise<ModelNow>;
  readonly liveTasksMax: number;
  /** How long a write waits at most for others to join it. Without contention it does not wait. */
  readonly commitIntervalMs: number;
  /** Changes that must be applied before all others; returns the same head if there are none. */
  readonly catchUp?: (head: ShardHead, now: ModelNow) => ShardHead;
  /** How many finished tasks a head keeps before they move into a log. */
  readonly finishedKept: number;
  readonly giveUpMs: number | undefined;
  readonly onEvent: (event: BucketQueueEvent) => void;
}

/** Writers that wrote within this time count as still active. */
const companyMs = 10_000;
/** How often in a row a log may have been replaced before it was read. */
const replacedMax = 20;

export function createShardKeeper(options: ShardKeeperOptions): ShardKeeper {
  const { spending, key, session, clock, random, archive, history, moment } = options;
  const { onEvent } = options;
  const { commitIntervalMs, finishedKept, giveUpMs, catchUp = (head) => head } = options;
  let conflicts = 0;
  const object = createSharedObject<ShardHead>({
    bucket: spending.bucket,
    key,
    session,
    clock,
    random,
    codec: createHeadCodec(options),
    isSticky: true,
    ...(giveUpMs !== undefined && { giveUpMs }),
    onConflict: () => {
      conflicts += 1;
      onEvent({ event: "conflict", key });
    },
  });
  const pace = createCommitPace({ clock, random, pauseMsMax: commitIntervalMs });
  /** The cached head is from this time or later. */
  let asOfMs = -Infinity;
  const logs = createLogKeeper({
    archive,
    // Random, so that not all nodes write a log at the same moment.
    logFrom: Math.round(finishedKept * (1 + random.next() / 2)),
    onListed: ({ log: { name, tasks }, absorbed }) =>
      onEvent({ event: "archived", key, log: name, tasks, joined: absorbed.length }),
    onCorrupt: ({ code }) => onEvent({ event: "quarantined", key, code }),
  });

  async function commitGroup(operations: readonly Operation[]): Promise<Settled> {
    const written: string[] = [];
    const noting: Archive = {
      ...archive,
      async write(head, tasks) {
        const log = await archive.write(head, tasks);
        written.push(log.name);
        return log;
      },
    };
    const noted = async (writing: Promise<EntryRef>) => {
      const ref = await writing;
      written.push(ref.name);
      return ref;
    };
    const notingHistory: History = {
      ...history,
      writeLog: (head, entries) => noted(history.writeLog(head, entries)),
      writeKeys: (head, keys) => noted(history.writeKeys(head, keys)),
    };
    let last: HeadCommitted | undefined;
    let base: ShardHead | undefined;
    let offered: PreparedLog | undefined;
    const owedBefore = spending.owed();
    let charged: number | undefined;
    const head = await object.change(async (found, number) => {
      if (!found) throw missing(key);
      offered = logs.prepared();
      const listed = offered && listLog(found, offered);
      const now = await moment(found.atMs);
      base = catchUp(listed ?? found, now);
      last = await commitOn(base, operations, { archive: noting, history: notingHistory, now });
      // Listing a log is a change too.
      const isStill = base === found || last.head !== base;
      const next = isStill ? last.head : { ...base, version: found.version + 1 };
      charged = undefined;
      if (next === found) return next;
      const requests = Math.max(0, spending.owed() + 1); // including this write
      charged = requests;
      const { version } = next;
      onEvent({ event: "sending", key, session, number, version, operations, now, requests });
      const jobs = chargeJobs(base.shard.jobs, next.shard.jobs, requests);
      return { ...next, shard: { ...next.shard, jobs } };
    });
    // A commit that changed nothing counts as an idle look.
    spending.settle(charged ?? Math.max(0, spending.owed() - owedBefore));
    logs.committed({ base: base!, head, written: [...written, ...last!.dropped], offered });
    return { head, answers: last!.answers, purged: last!.purged };
  }

  /**
   * A log may have been replaced since the head was read: then read a newer head, which lists the
   * new log.
   */
  async function commitFresh(operations: readonly Operation[]): Promise<Settled> {
    for (let replaced = 0; ; replaced++) {
      try {
        return await commitGroup(operations);
      } catch (error) {
        logs.unresolved();
        if (!isLogMissing(error) || replaced === replacedMax) throw error;
        const head = await object.read();
        // Other nodes may have changed the head meanwhile: it is an error only if the newest head
        // lists that log.
        if (head && listedNames(head).has(error.logName)) throw error;
      }
    }
  }

  async function commit(operations: readonly Operation[]): Promise<Settled> {
    const pauseMs = pace.waitMs();
    if (pauseMs > 0) await sleep(clock, pauseMs);
    const before = conflicts;
    const startMs = clock.monotonicMs();
    try {
      const settled = await commitFresh(operations);
      asOfMs = startMs;
      const { version } = settled.head;
      onEvent({ event: "committed", key, version, operations: operations.length });
      return settled;
    } catch (error) {
      if (isQuarantine(error)) onEvent({ event: "quarantined", key, code: error.code });
      throw error;
    } finally {
      const hasCompany = object.hasCompany(companyMs);
      pace.ended({ startMs, isContended: conflicts > before, hasCompany });
    }
  }

  async function read(): Promise<ShardHead> {
    const startMs = clock.monotonicMs();
    try {
      const head = await object.read();
      if (!head) throw missing(key);
      asOfMs = startMs;
      return head;
    } catch (error) {
      if (isQuarantine(error)) onEvent({ event: "quarantined", key, code: error.code });
      throw error;
    } finally {
      spending.settle(1); // a read on behalf of waiting workers or readers
    }
  }

  return {
    archive,
    history,
    commit,
    read,
    async readSince(monotonicMs) {
      const head = object.seen();
      return head && asOfMs >= monotonicMs ? head : read();
    },
    seen: () => object.seen(),
    async rewrite(change) {
      await object.change(async (found) => {
        if (!found) throw missing(key);
        const now = await moment(found.atMs);
        const atMs = Math.max(found.atMs, now.ms);
        return { ...(await change(found, now)), version: found.version + 1, atMs };
      });
    },
    end: () => logs.end(),
  };
}

/** A retry cannot help: a person must look at the object. */
const isQuarantine = (error: unknown): error is AppError =>
  error instanceof AppError && /^queue_(?:shard|log)_/.test(error.code);

const missing = (key: string) =>
  new AppError(
    "corrupt",
    "queue_shard_missing",
    `${key} was there and is gone, and with it the tasks it held; it is not created again, because ` +
      `its tasks may still be running. Put back an older version of the object, if the store ` +
      `keeps them, or give the queue another prefix`,
  );
