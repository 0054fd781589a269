import { endedOrder, viewTask, wakeInMs } from "../../../model/read.ts";
import type { Lane, Overview } from "../../../queue-store.ts";
import { emptyControl } from "../control.ts";
import { overviewOfHead, type Head } from "../head.ts";
import { storeNow } from "../../../model/now.ts";
import { browseShard, endedInShard, readDoneLog, readWhole } from "../read-shard.ts";
import { reconcileShard } from "../reconcile.ts";
import type { ShardSet } from "../shard-set.ts";
import { mergeJob } from "./jobs.ts";
import type { ManyContext } from "./many-context.ts";
import type { Bell } from "./many-shards.ts";
import { settleAll } from "./operations.ts";

/** Waking is a hint: so much later does not matter. */
const recentMs = 100;

/** Reading over several shards: a sum of heads, each as it was when it was read. */
export function createReads(at: ManyContext, bell: Bell): Omit<ShardSet, "commit"> {
  const { keepers, routing, moment, clock } = at;
  let turn = 0;
  /** When there was last word of something new: what was seen before does not count. */
  let heardMs = -Infinity;

  const seenAtMs = () => Math.max(0, ...keepers.map((keeper) => keeper.seen()?.atMs ?? 0));
  const readControl = async () => (await at.control.read()) ?? emptyControl;

  return {
    async overview(): Promise<Overview> {
      const [heads, control] = await Promise.all([at.readAll(), readControl()]);
      const now = storeNow(await moment(seenAtMs()));
      const parts = heads.map((head) => overviewOfHead(head, now));
      const names = new Set([
        ...control.jobs.map(({ name }) => name),
        ...parts.flatMap((part) => part.jobs.map(({ name }) => name)),
      ]);
      const jobs = [...names].map((name) => mergeJob(name, { control, heads }));
      return {
        now,
        shards: parts.map((part) => part.lanes),
        lanes: mergeLanes(parts.flatMap((part) => part.lanes)),
        gates: parts.flatMap((part) => part.gates),
        jobs: jobs.filter((job) => job !== undefined),
        waits: mergeWaits(parts.map((part) => part.waits)),
        raises: {
          raised: parts.reduce((sum, { raises }) => sum + raises.raised, 0),
          unchanged: parts.reduce((sum, { raises }) => sum + raises.unchanged, 0),
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
    async job(name) {
      const [heads, control] = await Promise.all([at.readAll(), readControl()]);
      return mergeJob(name, { control, heads });
    },
    gate: async (name) => (await keepers[routing.ofGate(name)]!.read()).shard.gates.get(name),
    async wakeInMs(kinds, worker) {
      // A claim that found nothing has just looked at all of them.
      const heads = await at.readAll(Math.max(heardMs, clock.monotonicMs() - recentMs));
      const isBusy = heads.some((head) => holdsAny(head, worker));
      const now = await moment(seenAtMs());
      // With something in one shard, a suspect of another is not for this worker.
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
      if (isHinted || (await bell.hasRung())) {
        // Who listens will look at all of them: here it would be done twice, and in vain where
        // nobody waits.
        heardMs = clock.monotonicMs();
        return true;
      }
      const keeper = keepers[turn++ % keepers.length]!;
      const before = keeper.seen();
      return (await keeper.read()) !== before;
    },
    seenAtMs,
    async end() {
      for (const keeper of keepers) await keeper.end();
      await bell.end();
    },
  };
}

const holdsAny = ({ shard }: Head, worker: string | undefined): boolean =>
  [...shard.claims.values()].some((record) => record.worker === worker && record.open > 0);

function mergeLanes(lanes: readonly Lane[]): readonly Lane[] {
  const merged = new Map<string, Lane>();
  for (const lane of lanes) {
    const name = JSON.stringify([lane.kind, lane.job, lane.gate]);
    const before = merged.get(name);
    merged.set(name, before ? addLanes(before, lane) : lane);
  }
  return [...merged.values()];
}

const addLanes = (a: Lane, b: Lane): Lane => ({
  ...a,
  ready: a.ready + b.ready,
  scheduled: a.scheduled + b.scheduled,
  backoff: a.backoff + b.backoff,
  running: a.running + b.running,
  done: a.done + b.done,
  skipped: a.skipped + b.skipped,
  failed: a.failed + b.failed,
  oldestReadyAtMs: older(a.oldestReadyAtMs, b.oldestReadyAtMs),
  oldestScheduledAtMs: older(a.oldestScheduledAtMs, b.oldestScheduledAtMs),
  oldestBackoffAtMs: older(a.oldestBackoffAtMs, b.oldestBackoffAtMs),
});

/** 0 stands for none. */
const older = (a: number, b: number) => (a === 0 ? b : b === 0 ? a : Math.min(a, b));

function mergeWaits(all: readonly Overview["waits"][]): Overview["waits"] {
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
