import { inSlices } from "../../../../base/tick.ts";
import { countJobs, createKindCounter, type QueueCounts } from "../../../read/counts.ts";
import type { Job } from "../../../job.ts";
import { storeNow } from "../../../model/now.ts";
import { endedOrder, viewTask, wakeInMs } from "../../../model/read.ts";
import { pageOf } from "../../../names.ts";
import { emptyControl } from "../storage/control.ts";
import { gatesOfHead, lanesOfHead, type ShardHead } from "../head/head.ts";
import {
  browseShard,
  endedInShard,
  logEntryOfShard,
  logOfShard,
  logStatsOf,
  readDoneLog,
  readWhole,
} from "../shard/read-shard.ts";
import { reconcileShard } from "../shard/reconcile.ts";
import type { ShardSet } from "../shard/shard-set.ts";
import { mergeJob } from "./jobs.ts";
import type { ManyContext } from "./many-context.ts";
import type { WakeUp } from "./many-shards.ts";
import { settleAll } from "./operations.ts";

/** A head that is this old is recent enough for waking, which is only a hint. */
const recentMs = 100;

/** Reads that cover several shards: sums of heads, which were not all read at the same moment. */
export function createReads(at: ManyContext, wakeUp: WakeUp): Omit<ShardSet, "commit"> {
  const { keepers, routing, moment, clock } = at;
  let turn = 0;
  /** When the last hint arrived: heads that were read before it do not count. */
  let lastReadMs = -Infinity;

  const seenAtMs = () => Math.max(0, ...keepers.map((keeper) => keeper.seen()?.atMs ?? 0));
  const readControl = async () => (await at.control.read()) ?? emptyControl;

  /** All jobs, each with what every shard has of it. */
  const readJobs = async () => {
    const [heads, control] = await Promise.all([at.readAll(), readControl()]);
    const names = new Set(control.jobs.map(({ name }) => name));
    for (const { shard } of heads) for (const name of shard.jobs.keys()) names.add(name);
    const jobs = new Map<string, Job>();
    await inSlices(names, (name) => {
      const job = mergeJob(name, { control, heads });
      if (job) jobs.set(name, job);
    });
    return { heads, jobs };
  };

  return {
    async counts() {
      const { heads, jobs } = await readJobs();
      const now = storeNow(await moment(seenAtMs()));
      const counter = createKindCounter(now);
      const lanes = new Set<string>();
      let gates = 0;
      for (const [index, head] of heads.entries()) {
        gates += (await gatesOfHead(head)).length;
        await inSlices(await lanesOfHead(head, now), ([key, lane]) => {
          lanes.add(key);
          counter.add(lane, head.shard.gates.get(lane.gate), jobs.get(lane.job), index);
        });
      }
      return {
        now,
        kinds: counter.kinds(),
        shards: heads.length,
        lanes: lanes.size,
        gates,
        jobs: countJobs(jobs.values()),
        waits: mergeWaits(heads.map(({ shard }) => shard.waits)),
        raises: {
          raised: heads.reduce((sum, { shard }) => sum + shard.raises.raised, 0),
          unchanged: heads.reduce((sum, { shard }) => sum + shard.raises.unchanged, 0),
        },
      };
    },
    async task(id) {
      const keeper = keepers[routing.ofId(id)]!;
      const head = await keeper.read();
      const isElsewhere = !head.shard.tasks.has(id) && id < head.shard.nextId;
      const shard = isElsewhere ? (await readWhole(keeper)).shard : head.shard;
      const view = viewTask(shard, id, storeNow(await moment(head.atMs)));
      if (!view) return undefined;
      const [heads, control] = await Promise.all([at.readAll(), readControl()]);
      return { ...view, job: mergeJob(view.job.name, { control, heads }) ?? view.job };
    },
    async browse(query) {
      const parts = await Promise.all(keepers.map((keeper) => browseShard(keeper, query)));
      return parts
        .flat()
        .sort((a, b) => a.id - b.id)
        .slice(0, query.limit);
    },
    async ended(query) {
      const parts = await Promise.all(keepers.map((keeper) => endedInShard(keeper, query)));
      return parts.flat().sort(endedOrder(query)).slice(0, query.limit);
    },
    async log(query) {
      const parts = await Promise.all(keepers.map((keeper) => logOfShard(keeper, query)));
      return parts.flat().sort(endedOrder(query)).slice(0, query.limit);
    },
    logEntry: (id) => logEntryOfShard(keepers[routing.ofId(id)]!, id),
    logStats: async () => logStatsOf(await at.readAll()),
    async job(name) {
      const [heads, control] = await Promise.all([at.readAll(), readControl()]);
      return mergeJob(name, { control, heads });
    },
    gate: async (name) => (await keepers[routing.ofGate(name)]!.read()).shard.gates.get(name),
    jobs: async (page) => pageOf((await readJobs()).jobs.values(), page),
    async gates(page) {
      const parts = await Promise.all((await at.readAll()).map(gatesOfHead));
      return pageOf(parts.flat(), page);
    },
    async wakeInMs(kinds, worker) {
      // A claim that found nothing has just read all shards, so recent heads are enough.
      const heads = await at.readAll(Math.max(lastReadMs, clock.monotonicMs() - recentMs));
      const isBusy = heads.some((head) => holdsAny(head, worker));
      const now = await moment(seenAtMs());
      // A worker that holds a task in any shard gets no suspect from another one.
      const waker = { kinds, worker: isBusy ? undefined : worker };
      const inMs = heads.map((head) => wakeInMs(head.shard, waker, now) ?? Infinity);
      const best = Math.min(...inMs);
      return best === Infinity ? undefined : best;
    },
    async reconcile(repair) {
      const parts = await settleAll(keepers.map((keeper) => reconcileShard(keeper, repair)));
      return {
        drift: parts.flatMap(({ drift }, index) =>
          drift.map((one) => ({ ...one, counter: `shard ${index}: ${one.counter}` })),
        ),
        orphans: parts.reduce((sum, { orphans }) => sum + orphans, 0),
        repaired: parts.some(({ repaired }) => repaired),
      };
    },
    async *doneLog() {
      for (const [index, keeper] of keepers.entries()) yield* readDoneLog(keeper, index);
    },
    async look(isHinted) {
      if (isHinted || (await wakeUp.wasSignalled())) {
        // The listeners will read all shards. Reading them here too would be wasted work, also if
        // nothing is waiting.
        lastReadMs = clock.monotonicMs();
        return true;
      }
      const keeper = keepers[turn++ % keepers.length]!;
      const before = keeper.seen();
      return (await keeper.read()) !== before;
    },
    seenAtMs,
    async end() {
      for (const keeper of keepers) await keeper.end();
      await wakeUp.end();
    },
  };
}

const holdsAny = ({ shard }: ShardHead, worker: string | undefined): boolean =>
  [...shard.claims.values()].some((record) => record.worker === worker && record.open > 0);

function mergeWaits(all: readonly QueueCounts["waits"][]): QueueCounts["waits"] {
  const merged = new Map<string, Map<number, number>>();
  for (const waits of all) {
    for (const [kind, buckets] of waits) {
      const own = merged.get(kind) ?? new Map<number, number>();
      for (const [bucket, count] of buckets) own.set(bucket, (own.get(bucket) ?? 0) + count);
      merged.set(kind, own);
    }
  }
  return merged;
}
