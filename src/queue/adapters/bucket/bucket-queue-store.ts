import { AppError } from "../../../base/app-error.ts";
import { systemClock, type Clock } from "../../../base/clock.ts";
import { silentLogger, type Logger } from "../../../base/log/logger.ts";
import { systemRandom, type Random } from "../../../base/random.ts";
import { createId } from "../../../base/ids.ts";
import {
  createSharedObject,
  isUnavailable,
  requireFitness,
  type Bucket,
} from "../../../bucket/index.ts";
import { storeNow, type ModelNow } from "../../model/now.ts";
import type { Claimed, Operation, Outcomes } from "../../operation.ts";
import { upgradeUnfinishedCode } from "../../queue-store.ts";
import type { BrowseQuery, QueueStore, StoreNow } from "../../queue-store.ts";
import type { Task } from "../../task.ts";
import { createArchive } from "./log/archive.ts";
import { applyControl, emptyControl, type Control } from "./storage/control.ts";
import { createManifestFormat, openStorage } from "./storage/create-storage.ts";
import type { DoneEntry } from "./log/done-entry.ts";
import type { BucketQueueEvent } from "./head/event.ts";
import { createHeadCodec } from "./head/head-codec.ts";
import type { ShardHead } from "./head/head.ts";
import { createHistory } from "./log/history.ts";
import { createIdleWatch } from "./shard/idle-watch.ts";
import { createWakeUp } from "./many/wake-up.ts";
import { createManyContext } from "./many/many-context.ts";
import { createManyShards } from "./many/many-shards.ts";
import { createMoment } from "./storage/moment.ts";
import { createOneShard } from "./shard/one-shard.ts";
import { createPayloads } from "./storage/payloads.ts";
import { createPlace } from "./storage/queue-keys.ts";
import { createShardKeeper } from "./shard/shard-keeper.ts";
import { createSpending } from "./storage/spending.ts";

export interface BucketQueueStoreOptions {
  readonly bucket: Bucket;
  /** The prefix of all keys; each queue in a bucket has its own. */
  readonly prefix?: string;
  /**
   * The number of shards, fixed when the queue is created. Absent: the number it has, or 1 for a
   * new queue.
   */
  readonly shards?: number;
  /** True: throws if the queue does not exist. Absent or false: creates it. */
  readonly mustExist?: boolean;
  /** Identifies one run of one process; never used again. */
  readonly session?: string;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
  /** With more live tasks in a shard, `add` answers `full`. */
  readonly liveTasksMax?: number;
  /** How long a write waits at most for other operations to join it. */
  readonly commitIntervalMs?: number;
  /** How many finished tasks a shard keeps before they move into a log. */
  readonly finishedKept?: number;
  readonly idlePollMsMax?: number;
  /** How long a write retries until its outcome is clear. */
  readonly giveUpMs?: number;
  readonly probe?: "always" | "daily";
  readonly onEvent?: (event: BucketQueueEvent) => void;
  /** The store's clock. Default: the bucket's clock. For tests, which shift it. */
  readonly now?: () => StoreNow;
}

export interface BucketQueueStore extends QueueStore {
  readonly shards: number;
  /** There may be new tasks: another node reported that it added some. */
  hint(): void;
  /** All finished tasks, shard by shard, oldest log first, each with the log that contains it. */
  doneLog(): AsyncIterable<DoneEntry>;
}

/**
 * QueueStore in a bucket, without a server: a shard is one object, and a commit reads it, applies
 * the model and writes it by compare-and-swap. See docs/formats/queue-bucket.md.
 */
export async function openBucketQueueStore(
  options: BucketQueueStoreOptions,
): Promise<BucketQueueStore> {
  const { bucket, clock = systemClock, random = systemRandom, logger = silentLogger } = options;
  const { liveTasksMax = 10_000, session = createId(random), probe = "always" } = options;
  await requireFitness({ bucket, clock, random, probe });
  const place = createPlace(options.prefix ?? "");
  const codec = createHeadCodec({ liveTasksMax });
  const { mustExist = false } = options;
  const wanted = { shards: options.shards, mustExist };
  const manifest = await openStorage({ bucket, place, random, codec, ...wanted });
  const { shards } = manifest;
  const format = createManifestFormat({ bucket, place }, manifest);
  const moment = createMoment(bucket, options.now);
  const spending = createSpending(bucket);
  const counted = spending.bucket;
  const payloads = createPayloads({ bucket: counted, random, folder: place.payloads });
  const onEvent = (event: BucketQueueEvent) => {
    if (event.event === "quarantined") logger.error("queue shard may be damaged", { ...event });
    options.onEvent?.(event);
  };
  const control = createSharedObject<Control>({
    bucket,
    key: place.control,
    session,
    clock,
    random,
    isSticky: true,
    ...(options.giveUpMs !== undefined && { giveUpMs: options.giveUpMs }),
  });
  const catchUp = (head: ShardHead, now: ModelNow) =>
    applyControl(head, control.seen() ?? emptyControl, now);
  const keepers = Array.from({ length: shards }, (_, index) =>
    createShardKeeper({
      spending,
      key: place.shard(index),
      session,
      clock,
      random,
      archive: createArchive({ bucket: counted, random, folder: place.logs(index) }),
      history: createHistory({ bucket: counted, random, folder: place.logs(index) }),
      moment,
      liveTasksMax,
      commitIntervalMs: options.commitIntervalMs ?? 250,
      finishedKept: options.finishedKept ?? 250,
      giveUpMs: options.giveUpMs,
      ...(shards > 1 && { catchUp }),
      onEvent,
    }),
  );
  const wakeUp = createWakeUp(bucket, place.wakeUp, random);
  const set =
    shards === 1
      ? createOneShard(keepers[0]!, moment)
      : createManyShards({
          ...createManyContext(keepers, { control, moment, clock }),
          random,
          wakeUp,
        });
  const watch = createIdleWatch({
    clock,
    random,
    pollMsMax: options.idlePollMsMax ?? 13_000,
    look: (isHinted) => set.look(isHinted),
  });

  const resolved = async <T extends { readonly payload: string }>(task: T): Promise<T> => {
    const payload = await payloads.resolve(task.payload);
    return payload === task.payload ? task : { ...task, payload };
  };

  /**
   * Refuses purges until the upgrade is finished: the previous version has no log of purged tasks,
   * and cannot read a shard that lists one.
   */
  async function commit(operations: readonly Operation[]): Promise<Outcomes> {
    const isLater = ({ op }: Operation) => op === "purge";
    if (!operations.some(isLater) || (await format.isFinished()))
      return await commitAll(operations);
    const answers = await commitAll(operations.filter((one) => !isLater(one)));
    let next = 0;
    return operations.map((one) => (isLater(one) ? upgradeUnfinished() : answers[next++]!));
  }

  async function commitAll(operations: readonly Operation[]): Promise<Outcomes> {
    if (operations.length === 0) return [];
    const stowed = await payloads.stow(operations);
    const { answers, heads, purged } = await set.commit(stowed.operations);
    // If a shard did not answer, its write may still arrive and refer to these payloads.
    if (!answers.some(isUnavailable)) await payloads.removeUnused(stowed, heads);
    await payloads.remove(purged);
    if (operations.some(mayWake)) watch.notify();
    const outcomes: Outcomes[number][] = [];
    for (const [index, answer] of answers.entries()) {
      const isClaim = operations[index]!.op === "claim" && "leases" in (answer as Claimed);
      outcomes.push(isClaim ? await withPayloads(answer as Claimed) : answer);
    }
    return outcomes;
  }
  async function withPayloads({ leases, hasSuspect }: Claimed): Promise<Claimed> {
    const loaded = [];
    for (const lease of leases) loaded.push(await resolved(lease));
    return { leases: loaded, hasSuspect };
  }

  return {
    shards,
    commit,
    hint: () => watch.hint(),
    now: async () => storeNow(await moment(set.seenAtMs())),
    counts: () => set.counts(),
    async task(id) {
      const view = await set.task(id);
      return view && { ...view, task: await resolved(view.task) };
    },
    browse: browseResolved,
    ended: async (query) => Promise.all((await set.ended(query)).map(resolved)),
    log: (query) => set.log(query),
    logEntry: (id) => set.logEntry(id),
    async logStats() {
      const stats = await set.logStats();
      return (await format.isFinished()) ? stats : { ...stats, waitsForUpgrade: true };
    },
    job: (name) => set.job(name),
    gate: (name) => set.gate(name),
    jobs: (page) => set.jobs(page),
    gates: (page) => set.gates(page),
    wakeInMs: (kinds, worker) => set.wakeInMs(kinds, worker),
    watch: (listener) => watch.watch(listener),
    netMs,
    hasTaskLimit: true,
    format: () => format.read(),
    finishUpgrade: () => format.finish(),
    reconcile: ({ repair }) => set.reconcile(repair),
    async *doneLog() {
      for await (const { task, ...entry } of set.doneLog()) {
        yield { ...entry, task: await resolved(task) };
      }
    },
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]();
      await set.end();
    },
  };

  async function browseResolved(query: BrowseQuery): Promise<readonly Task[]> {
    const { text, limit, ...rest } = query;
    if (text === undefined) return Promise.all((await set.browse(query)).map(resolved));
    // A payload that is in an object of its own must be fetched before it can be searched.
    const found: Task[] = [];
    for (const task of await set.browse({ ...rest, limit: Infinity })) {
      const one = await resolved(task);
      if (one.payload.includes(text)) found.push(one);
      if (found.length === limit) break;
    }
    return found;
  }
}

/** The watch of this store polls every few seconds itself. */
const netMs = 300_000;

const upgradeUnfinished = () =>
  new AppError(
    "conflict",
    upgradeUnfinishedCode,
    "nothing was moved into the log of the queue: forager 0.1 could not read the queue any more. " +
      "When no node runs it, end the upgrade with `forager fleet finish-upgrade`",
  );

/** Claims and extensions make no task claimable. */
const mayWake = ({ op }: Operation) => op !== "claim" && op !== "extend";
