import { isDeepStrictEqual } from "node:util";
import type { KindCounts, QueueCounts } from "../read/counts.ts";
import type { Job } from "../job.ts";
import {
  browse,
  counts,
  ended,
  gatesWithTasks,
  lanesOf,
  logStats,
  viewTask,
  wakeInMs,
} from "../model/read.ts";
import { recount } from "../model/recount.ts";
import type { Shard } from "../model/shard.ts";
import { pageOf } from "../names.ts";
import type { BrowseQuery, EndedQuery, QueueStore, StoreNow, TaskView } from "../queue-store.ts";
import { isTerminal, type TerminalState } from "../task.ts";
import { gateNames, jobNames } from "./model-comparison-steps.ts";

const terminal: readonly TerminalState[] = ["done", "skipped", "failed"];

export interface Questions {
  readonly query: BrowseQuery;
  readonly kinds: readonly string[];
}

/** Calls every read of the store and of the model, and compares the answers. */
export async function compareReads(
  store: QueueStore,
  shard: Shard,
  now: StoreNow,
  { query, kinds }: Questions,
): Promise<void> {
  const seen = await store.counts();
  const expected = await counts(shard, await lanesOf(shard, now), now);
  same("counts: kinds", byKind(seen.kinds), byKind(expected.kinds));
  same("counts: waits", histogram(seen.waits), histogram(expected.waits));
  const rest = ({ now: at, shards, lanes, gates, jobs, raises }: QueueCounts) => {
    return { at, shards, lanes, gates, jobs, raises };
  };
  same("counts: the rest", rest(seen), rest(expected));

  const all = { after: "", limit: 10_000 };
  const jobs = await store.jobs(all);
  const wantedJobs = await pageOf(shard.jobs.values(), all);
  same("jobs", jobs.map(unserved), wantedJobs.map(unserved));
  same("the turns of jobs", turns(jobs), turns(wantedJobs));
  const gates = await gatesWithTasks(shard);
  same("gates", await store.gates(all), await pageOf(gates, all));
  for (const page of [
    { after: "", limit: 1 },
    { after: "g", limit: 2 },
    { after: "j", limit: 1 },
  ]) {
    const names = (rows: readonly { readonly name: string }[]) => rows.map(({ name }) => name);
    const wanted = names(await pageOf(shard.jobs.values(), page));
    same("a page of jobs", names(await store.jobs(page)), wanted);
    same("a page of gates", names(await store.gates(page)), names(await pageOf(gates, page)));
  }

  for (let id = 1; id < shard.nextId + 1; id++) {
    const [view, wanted] = [await store.task(id), viewTask(shard, id, now)];
    const unservedView = ({ job, ...rest }: TaskView) => ({ ...rest, job: unserved(job) });
    same(`task ${id}`, view && unservedView(view), wanted && unservedView(wanted));
    same(`log entry ${id}`, await store.logEntry(id), shard.log.get(id));
  }
  for (const name of [...jobNames, "nobody's"]) {
    const [job, wanted] = [await store.job(name), shard.jobs.get(name)];
    same(`job ${name}`, job && unserved(job), wanted && unserved(wanted));
  }
  for (const name of [...gateNames, "nobody's"]) {
    same(`gate ${name}`, await store.gate(name), shard.gates.get(name));
  }
  same("browse", await store.browse(query), browse(shard, query));
  for (const isNewestFirst of [false, true]) {
    const { states = terminal, kind, job, gate, limit, afterId } = query;
    const asked: EndedQuery = {
      states: states.filter(isTerminal),
      ...(kind !== undefined && { kind }),
      ...(job !== undefined && { job }),
      ...(gate !== undefined && { gate }),
      ...(afterId > 0 && { after: { id: afterId, finishedAtMs: now.ms - afterId } }),
      isNewestFirst,
      limit,
    };
    same("ended", await store.ended(asked), ended(shard.tasks.values(), asked));
    same("log", await store.log(asked), ended(shard.log.values(), asked));
  }
  same("logStats", await store.logStats(), logStats(shard));
  for (const worker of [undefined, "w1"]) {
    compareWake(await store.wakeInMs(kinds, worker), wakeInMs(shard, { kinds, worker }, now));
  }
}

export async function compareReconcile(store: QueueStore, shard: Shard): Promise<void> {
  const { drift, orphans } = await store.reconcile({ repair: false });
  same("reconcile", { drift, orphans }, { drift: [], orphans: recount(shard).orphans });
}

/**
 * A store may wake too early but never too late, and 0 only if a task is claimable. An overdue task
 * may be reported as 1 ms away, which is the shortest timer.
 */
function compareWake(seen: number | undefined, expected: number | undefined): void {
  const isLate = (seen ?? Infinity) > Math.max(1, expected ?? Infinity);
  if (isLate || (seen === 0 && expected !== 0)) same("wakeInMs", seen, expected);
}

export function same(what: string, seen: unknown, expected: unknown): void {
  if (isDeepStrictEqual(seen, expected)) return;
  const [left, right] = [plain(seen), plain(expected)];
  if (isDeepStrictEqual(left, right)) return;
  throw new Error(
    `${what} differs\n  store: ${JSON.stringify(left)}\n  model: ${JSON.stringify(right)}`,
  );
}

/** Ignores the difference between absent and undefined. */
const plain = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);

/**
 * Ignores `served`: each store has its own numbers, and only their order matters. The requests of
 * commits differ between stores too.
 */
const unserved = ({ commitRequests: _cost, ...job }: Job) => ({ ...job, served: 0 });

function turns(jobs: readonly Job[]): readonly (readonly string[])[] {
  const byTurn = new Map<number, string[]>();
  for (const { served, name } of jobs) {
    byTurn.set(served, [...(byTurn.get(served) ?? []), name].sort());
  }
  return [...byTurn].sort(([a], [b]) => a - b).map(([, names]) => names);
}

const byKind = (kinds: readonly KindCounts[]): readonly KindCounts[] =>
  kinds
    .map((kind) => ({
      ...kind,
      reasons: kind.reasons.toSorted((a, b) => (a.reason < b.reason ? -1 : 1)),
    }))
    .sort((a, b) => (a.kind < b.kind ? -1 : 1));

const histogram = (waits: ReadonlyMap<string, ReadonlyMap<number, number>>) =>
  [...waits]
    .map(([kind, buckets]) => [kind, [...buckets].sort(([a], [b]) => a - b)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
