import type { Gate } from "../gate.ts";
import type { Job } from "../job.ts";
import type { KeptKey, LogEntry } from "../read/log-entry.ts";
import { rowState, stateName, type StateName } from "../row-state.ts";
import type { Task } from "../task.ts";
import type { Slice } from "./slice.ts";
import type { TaskRow } from "./task-row.ts";

/** The changes of the model in a slice, in the form that a SQL store writes. */
export interface SliceChanges {
  readonly tasks: readonly ChangedTask[];
  readonly added: readonly NewRow[];
  readonly removed: readonly RemovedTask[];
  readonly newJobs: readonly Job[];
  readonly changedJobs: readonly Job[];
  readonly removedJobs: readonly string[];
  readonly newGates: readonly Gate[];
  readonly changedGates: readonly Gate[];
  readonly removedGates: readonly string[];
  /** By token; only those that changed. */
  readonly claims: ReadonlyMap<number, ClaimChange>;
  readonly keptKeys: readonly KeptKey[];
}

export interface ChangedTask {
  readonly before: Task;
  readonly after: Task;
  readonly from: StateName;
  readonly to: StateName;
  /** The id of its lane. */
  readonly lane: number;
}

export interface NewRow {
  readonly task: Task;
  readonly state: StateName;
}

export interface RemovedTask {
  readonly row: TaskRow;
  readonly entry: LogEntry;
}

export interface ClaimChange {
  /** The number of its tasks that are no longer leased. */
  readonly left: number;
  /**
   * The new end of one of its leases, the earliest if there are several, so that the sweep is not
   * late.
   */
  readonly expiresAtMs: number | undefined;
}

export function changesOf(slice: Slice): SliceChanges {
  const { draft, jobs, gates } = slice;
  const tasks = changedTasks(slice);
  const named = <T extends { readonly name: string }>(after: Iterable<T>, before: Names<T>) => {
    const all = [...after].filter((one) => before.get(one.name) !== one);
    return [
      all.filter(({ name }) => !before.has(name)),
      all.filter(({ name }) => before.has(name)),
    ];
  };
  const [newJobs, changedJobs] = named(draft.jobs.values(), jobs);
  const [newGates, changedGates] = named(draft.gates.values(), gates);
  return {
    tasks,
    added: [...draft.tasks.values()]
      .filter(({ id }) => !slice.tasks.has(id))
      .map((task) => ({ task, state: rowState(task, draft.now.wallMs) })),
    removed: [...slice.rows.values()]
      .filter(({ id }) => !draft.tasks.has(id))
      .map((row) => ({ row, entry: draft.log.get(row.id)! })),
    newJobs: newJobs!,
    changedJobs: changedJobs!,
    removedJobs: [...jobs.keys()].filter((name) => !draft.jobs.has(name)),
    newGates: newGates!,
    changedGates: changedGates!,
    removedGates: [...gates.keys()].filter((name) => !draft.gates.has(name)),
    claims: changedClaims(slice, tasks),
    keptKeys: [...draft.keptKeys]
      .filter(([identity, kept]) => slice.keptKeys.get(identity) !== kept)
      .map(([, kept]) => kept),
  };
}

type Names<T> = ReadonlyMap<string, T>;

function changedTasks({ draft, tasks, rows }: Slice): readonly ChangedTask[] {
  const changed: ChangedTask[] = [];
  for (const [id, before] of tasks) {
    const after = draft.tasks.get(id);
    if (!after || after === before) continue;
    const { state, lane } = rows.get(id)!;
    const from = stateName(state);
    // Without this, the row could stay in a state that only a promotion changes.
    const isMoved =
      after.state !== before.state ||
      after.dueAtMs !== before.dueAtMs ||
      after.attempts !== before.attempts;
    const to = isMoved ? rowState(after, draft.now.wallMs) : from;
    changed.push({ before, after, from, to, lane });
  }
  return changed;
}

function changedClaims(
  { draft }: Slice,
  changed: readonly ChangedTask[],
): ReadonlyMap<number, ClaimChange> {
  const claims = new Map<number, ClaimChange>();
  for (const [token, { open }] of draft.claims) {
    if (open !== 0) claims.set(token, { left: -open, expiresAtMs: undefined });
  }
  for (const { after } of changed) {
    if (after.state !== "running") continue;
    const known = claims.get(after.token);
    const expiresAtMs = Math.min(after.expiresAtMs, known?.expiresAtMs ?? Infinity);
    claims.set(after.token, { left: known?.left ?? 0, expiresAtMs });
  }
  return claims;
}
