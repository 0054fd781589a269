import { isForgettable } from "../gate.ts";
import { keptKeyOf, logEntryOf, type KeptKey, type LogEntry } from "../read/log-entry.ts";
import type { Changed, FinishedFilter, ForgetKeys, PruneLog, Purge } from "../operation.ts";
import type { Raised, RaiseOne, Retry } from "../operation.ts";
import { isTerminal, type Task } from "../task.ts";
import {
  identityOf,
  jobOf,
  ownIdentities,
  ownsJob,
  patchJob,
  putTask,
  type ShardDraft,
} from "./shard.ts";

export const raise = (draft: ShardDraft, raises: readonly RaiseOne[]): readonly Raised[] =>
  raises.map((one) => {
    // As in `add`, the caller may leave out the gate if the job is bound to one.
    const gate = one.gate === "" ? jobOf(draft, one.job).gate : one.gate;
    const task = draft.tasks.get(draft.idsByIdentity.get(identityOf({ ...one, gate })) ?? 0);
    return task ? raiseTask(draft, task, one) : "absent";
  });

export function raiseTask(
  draft: ShardDraft,
  task: Task,
  { priority, isDueNow }: Pick<RaiseOne, "priority" | "isDueNow">,
): Raised {
  const isSooner = isDueNow === true && task.dueAtMs > draft.now.wallMs;
  if (task.state !== "pending" || (task.priority >= priority && !isSooner))
    return countUnchanged(draft);
  putTask(draft, {
    ...task,
    priority: Math.max(task.priority, priority),
    ...(isSooner && { dueAtMs: draft.now.wallMs }),
  });
  draft.raises = { ...draft.raises, raised: draft.raises.raised + 1 };
  return "raised";
}

export function countUnchanged(draft: ShardDraft): "unchanged" {
  draft.raises = { ...draft.raises, unchanged: draft.raises.unchanged + 1 };
  return "unchanged";
}

/**
 * Makes failed or skipped tasks pending again and reopens their jobs. Each task may use all its
 * attempts again, and keeps the history of the earlier ones.
 */
export function retry(draft: ShardDraft, { filter, rowsMax }: Retry): Changed {
  const { rows, hasMore } = finishedTasks(draft, filter, rowsMax);
  for (const task of rows) {
    putTask(draft, {
      ...task,
      state: "pending",
      used: 0,
      isSuspect: false,
      dueAtMs: draft.now.wallMs,
      result: null,
      finishedAtMs: 0,
    });
    patchJob(draft, task.job, { ended: null, endedAtMs: 0 });
  }
  return { changed: rows.length, hasMore };
}

export function purge(draft: ShardDraft, { filter, rowsMax, keepKeys }: Purge): Changed {
  const { rows, hasMore } = finishedTasks(draft, filter, rowsMax);
  const log = new Map(draft.log);
  const keptKeys = new Map(draft.keptKeys);
  for (const task of rows) {
    const entry = logEntryOf(task);
    log.set(task.id, entry);
    if (keepKeys) keptKeys.set(identityOf(task), keptKeyOf(entry));
    draft.tasks.delete(task.id);
    ownIdentities(draft).delete(identityOf(task));
  }
  Object.assign(draft, { log, keptKeys });
  dropEmpty(draft);
  return { changed: rows.length, hasMore };
}

export function forgetKeys(draft: ShardDraft, { filter, rowsMax }: ForgetKeys): Changed {
  const matching = [...draft.keptKeys.values()].filter((kept) => isMatching(kept, filter));
  const gone = oldestOf(matching, rowsMax);
  if (gone.length > 0) draft.keptKeys = without(draft.keptKeys, gone.map(identityOf));
  return { changed: gone.length, hasMore: matching.length > rowsMax };
}

export function pruneLog(draft: ShardDraft, { finishedBeforeMs, rowsMax }: PruneLog): Changed {
  const matching = [...draft.log.values()].filter((one) => one.finishedAtMs < finishedBeforeMs);
  const gone = oldestOf(matching, rowsMax);
  if (gone.length > 0)
    draft.log = without(
      draft.log,
      gone.map(({ id }) => id),
    );
  return { changed: gone.length, hasMore: matching.length > rowsMax };
}

const oldestOf = <T extends KeptKey | LogEntry>(all: readonly T[], count: number): readonly T[] =>
  [...all].sort((a, b) => a.finishedAtMs - b.finishedAtMs || a.id - b.id).slice(0, count);

function without<K, V>(map: ReadonlyMap<K, V>, keys: readonly K[]): ReadonlyMap<K, V> {
  const left = new Map(map);
  for (const key of keys) left.delete(key);
  return left;
}

/**
 * Sorted by state and then by finish time, so that all backends choose the same tasks if more than
 * `rowsMax` match.
 */
function finishedTasks(draft: ShardDraft, filter: FinishedFilter, rowsMax: number) {
  const matching = [...draft.tasks.values()]
    .filter((task) => isMatching(task, filter))
    .sort(
      (a, b) =>
        finishedOrder.indexOf(a.state) - finishedOrder.indexOf(b.state) ||
        a.finishedAtMs - b.finishedAtMs ||
        a.id - b.id,
    );
  return { rows: matching.slice(0, rowsMax), hasMore: matching.length > rowsMax };
}

const finishedOrder: readonly Task["state"][] = ["done", "skipped", "failed"];

type Filtered = Pick<Task, "id" | "job" | "kind" | "gate" | "state" | "finishedAtMs">;

export const isMatching = (task: Filtered, filter: FinishedFilter): boolean =>
  isTerminal(task.state) &&
  filter.states.includes(task.state) &&
  (filter.ids === undefined || filter.ids.includes(task.id)) &&
  (filter.job === undefined || filter.job === task.job) &&
  (filter.kind === undefined || filter.kind === task.kind) &&
  (filter.gate === undefined || filter.gate === task.gate) &&
  (filter.finishedBeforeMs === undefined || task.finishedAtMs < filter.finishedBeforeMs);

/**
 * Deletes ended jobs that have no tasks, so that their names can be used again. Also deletes gates
 * that have no tasks and do not differ from a new gate.
 */
function dropEmpty(draft: ShardDraft): void {
  const jobs = new Set<string>();
  const gates = new Set<string>();
  for (const task of draft.tasks.values()) {
    jobs.add(task.job);
    gates.add(task.gate);
  }
  for (const job of draft.jobs.values()) {
    const isEmpty = job.ended !== null && !jobs.has(job.name);
    if (isEmpty && ownsJob(draft, job)) draft.jobs.delete(job.name);
  }
  for (const gate of draft.gates.values()) {
    if (!gates.has(gate.name) && isForgettable(gate, draft.now.ms)) draft.gates.delete(gate.name);
  }
}
