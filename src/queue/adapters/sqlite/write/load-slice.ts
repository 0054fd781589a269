import { gateDefaults } from "../../../gate.ts";
import { scopeKey } from "../../../lane.ts";
import type { KeptKey } from "../../../read/log-entry.ts";
import { identityOf } from "../../../model/shard.ts";
import { bulkRowsMax } from "../../../operation.ts";
import type { FinishedFilter, Operation, Purge, Retry } from "../../../operation.ts";
import { finishedFrom, portState, stateLists, stateNames, taskStates } from "../../../row-state.ts";
import { createSlice, type Slice } from "../../../slice/slice.ts";
import { ruleColumns, type TaskRow } from "../../../slice/task-row.ts";
import { collectNamedTasks, type Grouped } from "../../../slice/named-tasks.ts";
import type { Identity, TerminalState } from "../../../task.ts";
import { statement } from "../connection/statement.ts";
import type { Unit } from "./unit.ts";

/** Operations that the model applies to a slice. The others have their own SQL. */
export type SliceOperation = Exclude<
  Operation,
  { readonly op: "claim" | "sweep" | "forgetKeys" | "pruneLog" }
>;

/** Loads the tasks, jobs, gates and reserved keys that an operation may read or change. */
export function loadSlice(unit: Unit, operation: SliceOperation): Slice {
  switch (operation.op) {
    case "add":
    case "extend":
    case "finish":
    case "release":
    case "raise":
      return loadNamed(unit, operation);
    case "block":
    case "setGate":
      return sliceOf(unit, [], { gates: [operation.gate] });
    case "openJob":
    case "seal":
    case "pause":
    case "resume":
      return sliceOf(unit, [], { jobs: [operation.job] });
    case "cancel": {
      unit.flush();
      const jobs = new Set([operation.job, ...cancelledJobs(unit)]);
      return sliceOf(unit, pendingTasks(unit, [...jobs]), { jobs: [operation.job] });
    }
    case "retry":
      return sliceOf(unit, finishedTasks(unit, operation));
    case "purge":
      return loadPurge(unit, operation);
  }
}

interface Named {
  readonly jobs?: readonly string[];
  readonly gates?: readonly string[];
  readonly keptKeys?: ReadonlyMap<string, KeptKey>;
}

/** A slice of these tasks, with their jobs and gates and those that are named. */
export function sliceOf(unit: Unit, tasks: readonly TaskRow[], named: Named = {}): Slice {
  const jobs = new Set([...tasks.map(({ job }) => job), ...(named.jobs ?? [])]);
  const gates = new Set([...tasks.map(({ gate }) => gate), ...(named.gates ?? [])]);
  return createSlice({
    now: unit.now,
    rows: tasks,
    jobs: [...jobs].flatMap((name) => unit.rows.job(name) ?? []),
    gates: [...gates].flatMap((name) => unit.rows.gate(name) ?? []),
    nextId: unit.meta.nextId,
    ...(named.keptKeys && { keptKeys: named.keptKeys }),
  });
}

function loadNamed(unit: Unit, operation: Grouped): Slice {
  const { leases, adds, raises } = collectNamedTasks([operation]);
  const gateOfJob = (job: string) => unit.rows.job(job)?.gate ?? "";
  const added = adds.map(({ job, gate, key }) => ({ job, key, gate: gateOfJob(job) || gate }));
  const raised = raises.map(({ job, gate, key }) => ({ job, key, gate: gate || gateOfJob(job) }));
  const tasks = new Map<number, TaskRow>();
  const read = statement(unit.db, `${selectTasks} where t.id = ?`);
  for (const { id } of leases) {
    const row = read.get(id) as TaskRow | undefined;
    if (row) tasks.set(id, row);
  }
  for (const row of findTasks(unit, [...added, ...raised])) tasks.set(row.id, row);
  return sliceOf(unit, [...tasks.values()], {
    jobs: [...added, ...raised].map(({ job }) => job),
    gates: added.map(({ gate }) => gate),
    keptKeys: findKept(unit, added),
  });
}

function findTasks({ db, rows }: Unit, identities: readonly Identity[]): readonly TaskRow[] {
  const find = statement(db, `${selectTasks} where t.scope = ? and t.key = ?`);
  const scopes = new Map<string, number | undefined>();
  return identities.flatMap((identity) => {
    const name = scopeKey(identity);
    if (!scopes.has(name)) scopes.set(name, rows.scopeOf(identity.job, identity.gate));
    const scope = scopes.get(name);
    const row = scope === undefined ? undefined : find.get(scope, identity.key);
    return row ? [row as TaskRow] : [];
  });
}

function findKept(unit: Unit, identities: readonly Identity[]): ReadonlyMap<string, KeptKey> {
  const kept = new Map<string, KeptKey>();
  if (!unit.hasKeptKeys) return kept;
  const find = statement(
    unit.db,
    `select id, kind, job, gate, key, state, finished_at as finishedAtMs from kept_key
     where job = ? and gate = ? and key = ?`,
  );
  for (const { job, gate, key } of identities) {
    const row = find.get(job, gate, key) as (KeptKey & { readonly state: unknown }) | undefined;
    if (!row) continue;
    const state = portState(row.state as unknown as number) as TerminalState;
    kept.set(identityOf(row), { ...row, state });
  }
  return kept;
}

/** Cancelled jobs with pending tasks. Everything must have been flushed before. */
export const cancelledJobs = ({ db }: Unit): readonly string[] =>
  statement(db, "select name from job where ended = 'cancelled' and pending > 0")
    .pluck()
    .all() as string[];

/**
 * Pending tasks of these jobs: one more than may be skipped at once, to know whether there are
 * more.
 */
export function pendingTasks({ db, rows }: Unit, jobs: readonly string[]): readonly TaskRow[] {
  const found: TaskRow[] = [];
  const pendingOf = statement(
    db,
    ["= " + taskStates.ready, "= " + taskStates.suspect, "in " + stateLists.dueLater]
      .map((states) => `${selectTasks} where t.lane = @lane and t.state ${states}`)
      .join(" union all ") + " limit @left",
  );
  for (const name of jobs) {
    const lanes = statement(db, "select id from lane where job = ?").pluck().all(name) as number[];
    for (const id of lanes) {
      const { ready, suspect, scheduled, backoff } = rows.lane(id);
      if (ready + suspect + scheduled + backoff === 0) continue;
      const left = bulkRowsMax + 1 - found.length;
      found.push(...(pendingOf.all({ lane: id, left }) as TaskRow[]));
      if (found.length > bulkRowsMax) return found;
    }
  }
  return found;
}

/** By state, then oldest first, like the model: one more than requested. */
function finishedTasks(unit: Unit, { filter, rowsMax }: Retry | Purge): readonly TaskRow[] {
  const { where, values } = filterSql(filter, { task: "t", lane: "l" });
  const found: TaskRow[] = [];
  for (const state of ["done", "skipped", "failed"] as const) {
    if (!filter.states.includes(state)) continue;
    const some = statement(
      unit.db,
      `${selectTasks}
       where t.state = @state and t.state >= ${finishedFrom} ${where}
       order by t.finished_at, t.id limit @limit`,
    ).all({ ...values, state: taskStates[state], limit: rowsMax + 1 - found.length });
    found.push(...(some as TaskRow[]));
  }
  return found;
}

/**
 * Finished tasks, and the jobs and gates that have no other tasks. The model drops those that are
 * no longer needed.
 */
function loadPurge(unit: Unit, operation: Purge): Slice {
  unit.flush();
  const { db, rows, now, meta } = unit;
  const tasks = finishedTasks(unit, operation);
  const purged = new Map<number, number>();
  for (const { lane } of tasks.slice(0, operation.rowsMax)) {
    purged.set(lane, (purged.get(lane) ?? 0) + 1);
  }
  const emptied = [...purged].filter(([id, count]) => {
    const lane = rows.lane(id);
    return stateNames.reduce((sum, state) => sum + lane[state], 0) === count;
  });
  const others = `(select 1 from lane where lane.job = job.name
    and lane.id not in (select value from json_each(@emptied)))`;
  const values = { emptied: JSON.stringify(emptied.map(([id]) => id)), ...gateDefaults };
  const names = (sql: string) => statement(db, sql).pluck().all(values) as string[];
  const jobs = names(`select name from job where ended is not null and not exists ${others}`);
  const gates = names(
    `select name from gate where delay_ms = @delayMs and capacity = @limit
       and not exists ${others.replace("lane.job = job.name", "lane.gate = gate.name")}`,
  );
  return createSlice({
    now,
    rows: tasks,
    jobs: jobs.flatMap((name) => rows.job(name) ?? []),
    gates: gates.flatMap((name) => rows.gate(name) ?? []),
    nextId: meta.nextId,
  });
}

/**
 * SQL for a filter, without its states. `tables` says which tables have the columns of task and
 * lane.
 */
export function filterSql(
  filter: FinishedFilter,
  tables: { readonly task: string; readonly lane: string },
) {
  const where: string[] = [];
  if (filter.ids) where.push(`and ${tables.task}.id in (select value from json_each(@ids))`);
  if (filter.finishedBeforeMs !== undefined) where.push(`and ${tables.task}.finished_at < @before`);
  for (const name of ["job", "kind", "gate"] as const) {
    if (filter[name] !== undefined) where.push(`and ${tables.lane}.${name} = @${name}`);
  }
  const values = {
    ids: JSON.stringify(filter.ids ?? []),
    before: filter.finishedBeforeMs ?? 0,
    job: filter.job ?? "",
    kind: filter.kind ?? "",
    gate: filter.gate ?? "",
  };
  return { where: where.join(" "), values };
}

export const selectTasks = `select ${ruleColumns} from task t join lane l on l.id = t.lane`;
