import { counts, viewTask, wakeInMs } from "../../../model/read.ts";
import { storeNow, type ModelNow } from "../../../model/now.ts";
import { pageOf } from "../../../names.ts";
import { gatesOfHead, lanesOfHead } from "../head/head.ts";
import {
  browseShard,
  endedInShard,
  logEntryOfShard,
  logOfShard,
  logStatsOf,
  readDoneLog,
  readWhole,
} from "./read-shard.ts";
import { reconcileShard } from "./reconcile.ts";
import type { ShardKeeper } from "./shard-keeper.ts";
import type { ShardSet } from "./shard-set.ts";

/** A queue of one shard: no routing, and no restrictions. */
export function createOneShard(
  keeper: ShardKeeper,
  moment: (notBeforeMs: number) => Promise<ModelNow>,
): ShardSet {
  const look = async () => {
    const before = keeper.seen();
    return (await keeper.read()) !== before;
  };
  return {
    async commit(operations) {
      const { head, answers, purged } = await keeper.commit(operations);
      return { answers, heads: [head], purged };
    },
    async counts() {
      const head = await keeper.read();
      const now = storeNow(await moment(head.atMs));
      return counts(head.shard, await lanesOfHead(head, now), now);
    },
    async task(id) {
      const head = await keeper.read();
      const isElsewhere = !head.shard.tasks.has(id) && id < head.shard.nextId;
      const shard = isElsewhere ? (await readWhole(keeper)).shard : head.shard;
      return viewTask(shard, id, storeNow(await moment(head.atMs)));
    },
    browse: (query) => browseShard(keeper, query),
    ended: (query) => endedInShard(keeper, query),
    log: (query) => logOfShard(keeper, query),
    logEntry: (id) => logEntryOfShard(keeper, id),
    logStats: async () => logStatsOf([await keeper.read()]),
    job: async (name) => (await keeper.read()).shard.jobs.get(name),
    gate: async (name) => (await keeper.read()).shard.gates.get(name),
    jobs: async (page) => pageOf((await keeper.read()).shard.jobs.values(), page),
    gates: async (page) => pageOf(await gatesOfHead(await keeper.read()), page),
    async wakeInMs(kinds, worker) {
      const head = await keeper.read();
      return wakeInMs(head.shard, { kinds, worker }, await moment(head.atMs));
    },
    reconcile: (repair) => reconcileShard(keeper, repair),
    doneLog: () => readDoneLog(keeper, 0),
    look,
    seenAtMs: () => keeper.seen()?.atMs ?? 0,
    end: () => keeper.end(),
  };
}
