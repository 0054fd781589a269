import { systemClock, type Clock } from "../../../base/clock.ts";
import { silentLogger, type Logger } from "../../../base/logger.ts";
import { systemRandom, type Random } from "../../../base/random.ts";
import { createId } from "../../../base/ids.ts";
import type { Bucket } from "../../../bucket/index.ts";
import { browse, viewTask, wakeInMs } from "../../model/read.ts";
import { recount } from "../../model/recount.ts";
import type { Claimed, Operation, Outcomes } from "../../operation.ts";
import type { BrowseQuery, QueueStore, StoreNow } from "../../queue-store.ts";
import { isTerminal, type Task } from "../../task.ts";
import { createArchive } from "./archive.ts";
import { openStorage } from "./create-storage.ts";
import type { BucketQueueEvent } from "./event.ts";
import { requireFitness } from "./fitness.ts";
import { createHeadCodec } from "./head-codec.ts";
import { overviewOfHead, type Head } from "./head.ts";
import { createIdleWatch } from "./idle-watch.ts";
import { createMoment } from "./moment.ts";
import { createPayloads } from "./payloads.ts";
import { createPlace } from "./place.ts";
import { withTasks } from "./recall.ts";
import { createShardKeeper } from "./shard-keeper.ts";

export interface BucketQueueStoreOptions {
  readonly bucket: Bucket;
  /** Where in the bucket; several queues have one each. */
  readonly prefix?: string;
  /** Fixed when the queue is made; absent: as it is, or one. */
  readonly shards?: number;
  /** One life of one process; never used again. */
  readonly session?: string;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
  /** Live tasks of a shard beyond which `add` answers `full`. */
  readonly liveTasksMax?: number;
  /** The longest wait for others to join a write. */
  readonly commitIntervalMs?: number;
  /** Finished tasks that a shard keeps before they go into a log. */
  readonly finishedKept?: number;
  readonly idlePollMsMax?: number;
  /** How long a write tries to get a clear answer. */
  readonly giveUpMs?: number;
  readonly probe?: "always" | "daily";
  readonly onEvent?: (event: BucketQueueEvent) => void;
  /** The store's clock; absent, it is the bucket's. For tests, which shift it. */
  readonly now?: () => StoreNow;
}

export interface BucketQueueStore extends QueueStore {
  readonly shards: number;
  /** Something may be new: a wake hint from another node. */
  hint(): void;
  /** Finished tasks that have left their shard, oldest log first; with the log each is in. */
  doneLog(): AsyncIterable<DoneEntry>;
}

export interface DoneEntry {
  readonly shard: number;
  readonly log: string;
  readonly task: Task;
}

/**
 * QueueStore in a bucket, with no server: a shard is one object, and a commit is the model between
 * a read and a compare-and-swap. See docs/formats/queue-bucket.md.
 */
export async function openBucketQueueStore(
  options: BucketQueueStoreOptions,
): Promise<BucketQueueStore> {
  const { bucket, clock = systemClock, random = systemRandom, logger = silentLogger } = options;
  const { liveTasksMax = 10_000, session = createId(random), probe = "always" } = options;
  await requireFitness({ bucket, clock, random, probe });
  const place = createPlace(options.prefix ?? "");
  const codec = createHeadCodec({ liveTasksMax });
  const { shards } = await openStorage({ bucket, place, random, codec, shards: options.shards });
  const moment = createMoment(bucket, options.now);
  const payloads = createPayloads({ bucket, random, folder: place.payloads });
  const onEvent = (event: BucketQueueEvent) => {
    if (event.event === "quarantined") logger.error("queue shard needs a look", { ...event });
    options.onEvent?.(event);
  };
  const keeper = createShardKeeper({
    bucket,
    key: place.shard(0),
    session,
    clock,
    random,
    archive: createArchive({ bucket, random, folder: place.logs(0) }),
    moment,
    liveTasksMax,
    commitIntervalMs: options.commitIntervalMs ?? 250,
    finishedKept: options.finishedKept ?? 1_000,
    giveUpMs: options.giveUpMs,
    onEvent,
  });
  const watch = createIdleWatch({
    clock,
    random,
    pollMsMax: options.idlePollMsMax ?? 10_000,
    look: async () => {
      const before = keeper.seen();
      return (await keeper.read()) !== before;
    },
  });

  const resolved = async <T extends { readonly payload: string }>(task: T): Promise<T> => {
    const payload = await payloads.resolve(task.payload);
    return payload === task.payload ? task : { ...task, payload };
  };

  async function commit(operations: readonly Operation[]): Promise<Outcomes> {
    if (operations.length === 0) return [];
    const stowed = await payloads.stow(operations);
    const { head, answers, purged } = await keeper.commit(stowed.operations);
    await payloads.removeUnused(stowed, head);
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

  /** The head with all its finished tasks. */
  async function whole(head: Head): Promise<Head["shard"]> {
    if (head.logs.length === 0) return head.shard;
    const logs = await keeper.archive.load(head);
    return withTasks(
      head.shard,
      logs.flatMap((log) => [...log.tasksById.values()]),
    );
  }

  return {
    shards,
    commit,
    hint: () => watch.hint(),
    async now() {
      const { ms, wallMs } = await moment(keeper.seen()?.atMs ?? 0);
      return { ms, wallMs };
    },
    async overview() {
      const head = await keeper.read();
      return overviewOfHead(head, plainNow(await moment(head.atMs)));
    },
    async task(id) {
      const head = await keeper.read();
      const isElsewhere = !head.shard.tasks.has(id) && id < head.shard.nextId;
      const shard = isElsewhere ? await whole(head) : head.shard;
      const view = viewTask(shard, id, plainNow(await moment(head.atMs)));
      return view && { ...view, task: await resolved(view.task) };
    },
    async browse(query) {
      const head = await keeper.read();
      const shard = query.states?.every((state) => !isTerminal(state))
        ? head.shard
        : await whole(head);
      return browseResolved(shard, query);
    },
    job: async (name) => (await keeper.read()).shard.jobs.get(name),
    gate: async (name) => (await keeper.read()).shard.gates.get(name),
    async wakeInMs(kinds, worker) {
      const head = await keeper.read();
      return wakeInMs(head.shard, { kinds, worker }, await moment(head.atMs));
    },
    watch: (listener) => watch.watch(listener),
    reconcile: async () => recount((await keeper.read()).shard),
    async *doneLog() {
      const head = await keeper.read();
      for (const log of await keeper.archive.load(head)) {
        for (const task of log.tasksById.values()) {
          yield { shard: 0, log: log.name, task: await resolved(task) };
        }
      }
    },
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]();
      await keeper.idle();
    },
  };

  async function browseResolved(shard: Head["shard"], query: BrowseQuery) {
    const { text, ...rest } = query;
    if (text === undefined) return Promise.all(browse(shard, query).map(resolved));
    // What is in an object of its own must be fetched before it can be searched.
    const found: Task[] = [];
    for (const task of browse(shard, { ...rest, limit: Infinity })) {
      const one = await resolved(task);
      if (one.payload.includes(text)) found.push(one);
      if (found.length === query.limit) break;
    }
    return found;
  }
}

const plainNow = ({ ms, wallMs }: StoreNow): StoreNow => ({ ms, wallMs });

/** Claims and extensions make nothing claimable. */
const mayWake = ({ op }: Operation) => op !== "claim" && op !== "extend";
