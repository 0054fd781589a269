import { isDeepStrictEqual } from "node:util";
import type { Job } from "../job.ts";
import { browse, ended, overview, viewTask, wakeInMs } from "../model/read.ts";
import { recount } from "../model/recount.ts";
import type { Shard } from "../model/shard.ts";
import type { BrowseQuery, EndedQuery, QueueStore, StoreNow, TaskView } from "../queue-store.ts";
import { isTerminal, type TerminalState } from "../task.ts";
import { gateNames, jobNames } from "./model-comparison-steps.ts";

const terminal: readonly TerminalState[] = ["done", "skipped", "failed"];

export interface Questions {
  readonly query: BrowseQuery;
  readonly kinds: readonly string[];
}

/** Asks the store everything a reader can ask, and the model the same. */
export async function compareReads(
  store: QueueStore,
  shard: Shard,
  now: StoreNow,
  { query, kinds }: Questions,
): Promise<void> {
  const seen = await store.overview();
  const expected = overview(shard, now);
  same("overview: lanes", sorted(seen.lanes), sorted(expected.lanes));
  same("overview: gates", sorted(seen.gates), sorted(expected.gates));
  same("overview: jobs", sorted(seen.jobs.map(unserved)), sorted(expected.jobs.map(unserved)));
  same("overview: the turns of jobs", turns(seen.jobs), turns(expected.jobs));
  same("overview: waits", histogram(seen.waits), histogram(expected.waits));
  same("overview: the rest", [seen.now, seen.raises], [expected.now, expected.raises]);

  for (let id = 1; id < shard.nextId + 1; id++) {
    const [view, wanted] = [await store.task(id), viewTask(shard, id, now)];
    const unservedView = ({ job, ...rest }: TaskView) => ({ ...rest, job: unserved(job) });
    same(`task ${id}`, view && unservedView(view), wanted && unservedView(wanted));
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
  }
  for (const worker of [undefined, "w1"]) {
    compareWake(await store.wakeInMs(kinds, worker), wakeInMs(shard, { kinds, worker }, now));
  }
}

export async function compareReconcile(store: QueueStore, shard: Shard): Promise<void> {
  const { drift, orphans } = await store.reconcile({ repair: false });
  same("reconcile", { drift, orphans }, { drift: [], orphans: recount(shard).orphans });
}

/**
 * A store may wake too early, never too late, and says "now" only when there is something. What is
 * overdue may be said to be a millisecond away, which is as soon as a timer can be.
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

/** Without the difference between absent and undefined, which means nothing here. */
const plain = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);

/** `served` is only ever compared: the numbers are the store's own, their order is not. */
const unserved = (job: Job) => ({ ...job, served: 0 });

function turns(jobs: readonly Job[]): readonly (readonly string[])[] {
  const byTurn = new Map<number, string[]>();
  for (const { served, name } of jobs) {
    byTurn.set(served, [...(byTurn.get(served) ?? []), name].sort());
  }
  return [...byTurn].sort(([a], [b]) => a - b).map(([, names]) => names);
}

const sorted = <T>(rows: readonly T[]): readonly T[] =>
  [...rows].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));

const nameOf = (row: unknown): string => {
  const { name, kind, job, gate } = row as Record<string, unknown>;
  return JSON.stringify(name ?? [kind, job, gate]);
};

const histogram = (waits: ReadonlyMap<string, ReadonlyMap<number, number>>) =>
  [...waits]
    .map(([kind, buckets]) => [kind, [...buckets].sort(([a], [b]) => a - b)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
