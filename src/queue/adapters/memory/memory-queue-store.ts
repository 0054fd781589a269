import { systemClock, type Clock } from "../../../base/clock.ts";
import { apply } from "../../model/apply.ts";
import { exactNow, storeNow, truncatedNow, type ModelNow } from "../../model/now.ts";
import {
  browse,
  counts,
  ended,
  gatesWithTasks,
  lanesOf,
  logStats,
  viewTask,
  wakeInMs,
} from "../../model/read.ts";
import { recount } from "../../model/recount.ts";
import { repairShard } from "../../model/repair.ts";
import { emptyShard, type Shard } from "../../model/shard.ts";
import { pageOf } from "../../names.ts";
import type { QueueStore, StoreNow } from "../../queue-store.ts";

export interface MemoryQueueStoreOptions {
  readonly clock?: Clock;
  /** Replaces the store's clock, for tests that shift it. */
  readonly now?: () => StoreNow;
  readonly liveTasksMax?: number;
}

/** The pure model in a variable: for tests, and for work that may be lost with its process. */
export function createMemoryQueueStore(options: MemoryQueueStoreOptions = {}): QueueStore {
  const { clock = systemClock, now: given } = options;
  const now = given ? () => exactNow(given()) : createClock(clock);
  let shard: Shard = emptyShard(options);
  const listeners = new Set<() => void>();

  return {
    async commit(operations) {
      const applied = apply(shard, operations, now());
      shard = applied.shard;
      for (const listener of listeners) listener();
      return applied.answers;
    },
    now: async () => storeNow(now()),
    async counts() {
      const [seen, at] = [shard, storeNow(now())];
      return counts(seen, await lanesOf(seen, at), at);
    },
    task: async (id) => viewTask(shard, id, storeNow(now())),
    browse: async (query) => browse(shard, query),
    ended: async (query) => ended(shard.tasks.values(), query),
    log: async (query) => ended(shard.log.values(), query),
    logEntry: async (id) => shard.log.get(id),
    logStats: async () => logStats(shard),
    job: async (name) => shard.jobs.get(name),
    gate: async (name) => shard.gates.get(name),
    jobs: async (page) => pageOf(shard.jobs.values(), page),
    gates: async (page) => pageOf(await gatesWithTasks(shard), page),
    wakeInMs: async (kinds, worker) => wakeInMs(shard, { kinds, worker }, now()),
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    format: async () => ownFormat,
    finishUpgrade: async () => ownFormat,
    async reconcile({ repair }) {
      const found = recount(shard);
      const isWrong = found.drift.length + found.orphans > 0;
      if (repair && isWrong) shard = repairShard(shard, now());
      return { ...found, repaired: repair && isWrong };
    },
    [Symbol.asyncDispose]: async () => listeners.clear(),
  };
}

/** Other versions never use this queue. */
const ownFormat = { format: 1, readableBy: 1 };

/** The wall clock when the store was created, advanced by the monotonic clock. */
function createClock(clock: Clock): () => ModelNow {
  const startMs = clock.nowMs();
  const startMonotonicMs = clock.monotonicMs();
  return () =>
    truncatedNow({
      ms: startMs + Math.floor(clock.monotonicMs() - startMonotonicMs),
      wallMs: clock.nowMs(),
    });
}
