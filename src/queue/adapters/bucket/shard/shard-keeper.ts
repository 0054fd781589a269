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
 * One shard: its head, kept by compare-and-swap. Always:
 * - each commit is one write, and one write is under way at a time. Callers batch: the queue joins
 *   calls into commits, and a sender those of one commit that go to the same of several shards;
 * - answers are those of the attempt that landed;
 * - a head that was there and is gone is an error, never made anew.
 */
export interface ShardKeeper {
  commit(operations: readonly Operation[]): Promise<Settled>;
  /** As it is now: costs a request, and little more while nothing has changed. */
  read(): Promise<ShardHead>;
  /** As it was last seen. */
  seen(): ShardHead | undefined;
  /** As it is now, or was at that moment of the monotonic clock or later. */
  readSince(monotonicMs: number): Promise<ShardHead>;
  /** Puts another head in place of this one, once, by what `change` makes of it. */
  rewrite(change: (head: ShardHead, now: ModelNow) => Promise<ShardHead>): Promise<void>;
  readonly archive: Archive;
  readonly history: History;
  /** At the end, when all commits were answered. */
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
  /** The longest wait for others to join a write; there is none while nobody is in the way. */
  readonly commitIntervalMs: number;
  /** What must be applied before anything else; the same head where there is nothing. */
  readonly catchUp?: (head: ShardHead, now: ModelNow) => ShardHead;
  /** Finished tasks a head keeps before they go into a log. */
  readonly finishedKept: number;
  readonly giveUpMs: number | undefined;
  readonly onEvent: (event: BucketQueueEvent) => void;
}

/** Others who wrote so lately are taken to be there still. */
const companyMs = 10_000;
/** How often in a row a log may have been replaced by others before it was read. */
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
  /** What was last seen is as it was then, or newer. */
  let asOfMs = -Infinity;
  const logs = createLogKeeper({
    archive,
    // Not all nodes at the same moment.
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
      // A log alone is a change too.
      const isStill = base === found || last.head !== base;
      const next = isStill ? last.head : { ...base, version: found.version + 1 };
      charged = undefined;
      if (next === found) return next;
      const requests = Math.max(0, spending.owed() + 1); // with the one that writes this
      charged = requests;
      const { version } = next;
      onEvent({ event: "sending", key, session, number, version, operations, now, requests });
      const jobs = chargeJobs(base.shard.jobs, next.shard.jobs, requests);
      return { ...next, shard: { ...next.shard, jobs } };
    });
    // A commit that changed nothing is an idle look.
    spending.settle(charged ?? Math.max(0, spending.owed() - owedBefore));
    logs.committed({ base: base!, head, written: [...written, ...last!.dropped], offered });
    return { head, answers: last!.answers, purged: last!.purged };
  }

  /** A log may have been replaced since the head was last seen: then a newer head says by what. */
  async function commitFresh(operations: readonly Operation[]): Promise<Settled> {
    for (let replaced = 0; ; replaced++) {
      try {
        return await commitGroup(operations);
      } catch (error) {
        logs.unresolved();
        if (!isLogMissing(error) || replaced === replacedMax) throw error;
        const head = await object.read();
        // Others may have seen the newer head meanwhile: what counts is whether it lists that log.
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
      spending.settle(1); // for whoever waits or looks
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

/** Trying again cannot help: somebody must look at the object. */
const isQuarantine = (error: unknown): error is AppError =>
  error instanceof AppError && /^queue_(?:shard|log)_/.test(error.code);

const missing = (key: string) =>
  new AppError(
    "corrupt",
    "queue_shard_missing",
    `${key} was there and is gone, and with it the tasks it held; it is not made anew, because ` +
      `its tasks may still be running. Put back an older version of the object, if the store ` +
      `keeps them, or give the queue another prefix`,
  );
