import { AppError } from "../../../../base/app-error.ts";
import { applyOne } from "../../../model/apply.ts";
import type { ModelNow } from "../../../model/now.ts";
import type { Added, Answer, Operation } from "../../../operation.ts";
import type { LeaseRef, NewTask } from "../../../task.ts";
import type { Counts } from "../read/counts.ts";
import { stale, type PostgresSession } from "../connection/database.ts";
import {
  jobColumns,
  lockGates,
  lockLanes,
  selectGates,
  uncounted,
  type PostgresGateRow,
  type JobSettingsRow,
  type PostgresLaneRow,
} from "../rows/rows.ts";
import { findKept } from "../read/log.ts";
import { createLockedSlice } from "./slice.ts";
import { laneKey, scopeKey } from "../../../lane.ts";
import { taskStates } from "../../../row-state.ts";
import { taskColumns, type TaskRow } from "../../../slice/task-row.ts";
import { collectNamedTasks, type Grouped, type NamedTasks } from "../../../slice/named-tasks.ts";
import { writeSlice } from "./write-slice.ts";

export const isGrouped = (operation: Operation): operation is Grouped =>
  ["add", "extend", "finish", "release", "raise"].includes(operation.op);

/**
 * Reads and locks the rows that the operations refer to, in the order that all transactions use:
 * jobs, gates, lanes, tasks. Then lets the model apply the operations, and writes what it changed.
 */
export async function applyGroup(
  session: PostgresSession,
  operations: readonly Grouped[],
  { now, counts }: { readonly now: () => Promise<ModelNow>; readonly counts: Counts },
): Promise<AppliedGroup> {
  const named = collectNamedTasks(operations);
  const places = await placesOf(session, named.leases);
  const jobs = await readJobs(session, named, places);
  const bound = (job: string, gate: string) => jobs.get(job)?.gate || gate;

  const adds = named.adds.map((task) => ({ ...task, gate: bound(task.job, task.gate) }));
  const identities = [
    ...adds,
    ...named.raises.map((one) => ({ ...one, gate: one.gate || bound(one.job, "") })),
  ];
  const [lanes, known, keptKeys] = await Promise.all([
    readLanes(session, adds),
    findTasks(session, identities),
    findKept(session, adds),
  ]);

  const leaving = new Set(places.filter(({ id }) => named.leaving.has(id)).map(({ gate }) => gate));
  const newLanes = adds.filter((task) => !lanes.has(laneKey(task)));
  const toLock = new Set([...leaving, ...newLanes.map(({ gate }) => gate)]);
  toLock.delete("");
  leaving.delete("");
  const raisable = known.filter(({ row, priority }) => isRaisable(row, priority));
  const laneIds = [...lanes.values(), ...raisable.map(({ row }) => ({ ...row, id: row.lane }))]
    .filter(({ gate }) => gate !== "")
    .map(({ id }) => id);
  const [gates, locked, rows, scopes, at] = await Promise.all([
    readGates(session, toLock, [...adds, ...places]),
    lockLanes(session, { gates: [...leaving], ids: laneIds }),
    lockTasks(session, [...named.leases.map(({ id }) => id), ...raisable.map(({ row }) => row.id)]),
    readScopes(session, newLanes),
    now(),
  ]);
  const lockedIds = new Set(locked.map(({ id }) => id));
  if (laneIds.some((id) => !lockedIds.has(id))) throw stale("a lane was purged");
  const lockedRows = new Set(rows.map(({ id }) => id));
  const slice = createLockedSlice({
    now: at,
    rows: [...rows, ...unique(known.map(({ row }) => row).filter(({ id }) => !lockedRows.has(id)))],
    gates,
    jobs: [...jobs.values()].map((job) => ({ ...uncounted(job), added: job.added })),
    lanes: [...lanes.values(), ...locked],
    scopes,
    lockedGates: toLock,
    keptKeys,
  });
  const answers = operations.map((operation) => {
    try {
      return applyOne(slice.draft, operation);
    } catch (error) {
      if (error instanceof AppError && error.kind === "invalid") return error;
      throw error;
    }
  });
  const idOf = await writeSlice(session, slice, counts);
  const mayWake =
    leaving.size > 0 ||
    named.adds.length > 0 ||
    named.raises.length > 0 ||
    places.some(({ job }) => jobs.get(job)?.concurrency !== null) ||
    rows.some(({ id }) => slice.draft.tasks.get(id)?.state === "pending");
  return {
    answers: () => answers.map((answer, at) => withIds(operations[at]!, answer, idOf)),
    jobs: [...new Set(places.map(({ job }) => job))],
    mayWake,
  };
}

/** The model answers an add with provisional ids. */
function withIds(
  { op }: Grouped,
  answer: Answer<Operation> | AppError,
  idOf: (provisional: number) => number,
): Answer<Operation> | AppError {
  if (op !== "add" || answer instanceof AppError) return answer;
  return (answer as readonly Added[]).map((one) =>
    one.id === undefined ? one : { ...one, id: idOf(one.id) },
  );
}

export interface AppliedGroup {
  /** Call it after the commit: new ids may arrive only with the answer to the commit. */
  readonly answers: () => readonly (Answer<Operation> | AppError)[];
  /** Jobs that may be complete now. */
  readonly jobs: readonly string[];
  /** Something may be claimable that was not before. */
  readonly mayWake: boolean;
}

type Place = Pick<TaskRow, "id" | "kind" | "job" | "gate">;

/** A task never changes its lane, so this may be read before anything is locked. */
async function placesOf(
  session: PostgresSession,
  leases: readonly LeaseRef[],
): Promise<readonly Place[]> {
  if (leases.length === 0) return [];
  return session.query(
    `select t.id, l.kind, l.job, l.gate from @task t join @lane l on l.id = t.lane
     where t.id = any($1::bigint[])`,
    [leases.map(({ id }) => id)],
  );
}

type ReadJob = JobSettingsRow & { readonly added: number };

/**
 * A transaction that adds to a job locks it until the end, so that the job is not sealed, ended or
 * emptied of its lanes meanwhile. If the job has a budget, the lock is exclusive. Other operations
 * only read the job.
 */
async function readJobs(
  session: PostgresSession,
  { adds, raises }: NamedTasks,
  places: readonly Place[],
): Promise<ReadonlyMap<string, ReadJob>> {
  const names = new Set(adds.map(({ job }) => job));
  const others = new Set([...raises, ...places].map(({ job }) => job));
  for (const name of names) others.delete(name);
  const read = (wanted: ReadonlySet<string>, how: string) =>
    wanted.size === 0
      ? []
      : session.query<ReadJob>(
          `select ${jobColumns}, 0 as added from @job j where j.name = any($1::text[]) ${how}`,
          [[...wanted]],
        );
  const [held, seen] = await Promise.all([
    read(names, "order by j.name for key share"),
    read(others, ""),
  ]);
  const budgeted = held.filter(({ budget }) => budget !== null).map(({ name }) => name);
  const counted = await countAdded(session, budgeted);
  return new Map(
    [...held, ...seen].map((job) => [job.name, { ...job, added: counted.get(job.name) ?? 0 }]),
  );
}

async function countAdded(
  session: PostgresSession,
  jobs: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (jobs.length === 0) return new Map();
  session.send("select 1 from @job where name = any($1::text[]) order by name for no key update", [
    jobs,
  ]);
  const sums = await session.query<{ job: string; added: number }>(
    `select job, sum(added)::bigint as added from @job_counter where job = any($1::text[])
     group by job`,
    [jobs],
  );
  return new Map(sums.map(({ job, added }) => [job, added]));
}

async function readLanes(
  session: PostgresSession,
  adds: readonly NewTask[],
): Promise<Map<string, PostgresLaneRow>> {
  const names = new Map(adds.map((task) => [laneKey(task), task]));
  if (names.size === 0) return new Map();
  const wanted = [...names.values()];
  const lanes = await session.query<PostgresLaneRow>(
    `select l.id, l.kind, l.job, l.gate, l.scope
     from unnest($1::text[], $2::text[], $3::text[]) as u (kind, job, gate)
     join @lane l on l.job = u.job and l.gate = u.gate and l.kind = u.kind`,
    [wanted.map(({ kind }) => kind), wanted.map(({ job }) => job), wanted.map(({ gate }) => gate)],
  );
  return new Map(lanes.map((lane) => [laneKey(lane), lane]));
}

async function readScopes(
  session: PostgresSession,
  newLanes: readonly NewTask[],
): Promise<ReadonlyMap<string, number>> {
  if (newLanes.length === 0) return new Map();
  const names = [...new Map(newLanes.map((task) => [scopeKey(task), task])).values()];
  const scopes = await session.query<{ id: number; job: string; gate: string }>(
    `select s.id, s.job, s.gate from unnest($1::text[], $2::text[]) as u (job, gate)
     join @scope s on s.job = u.job and s.gate = u.gate`,
    [names.map(({ job }) => job), names.map(({ gate }) => gate)],
  );
  return new Map(scopes.map((scope) => [scopeKey(scope), scope.id]));
}

interface Known {
  readonly row: TaskRow;
  readonly priority: number;
}

/**
 * Tasks that have one of these identities, with the highest priority requested for each. Each is
 * looked up separately: with statistics of an empty table, a planner would read a whole scope.
 */
async function findTasks(
  session: PostgresSession,
  identities: readonly { job: string; gate: string; key: string; priority: number }[],
): Promise<readonly Known[]> {
  if (identities.length === 0) return [];
  const rows = await session.query<TaskRow & { wanted: number }>(
    `select ${taskColumns}, u.wanted
     from (select job, gate, key, max(priority) as wanted
         from unnest($1::text[], $2::text[], $3::text[], $4::int[]) as v (job, gate, key, priority)
         group by job, gate, key) u
     join @scope s on s.job = u.job and s.gate = u.gate
     cross join lateral (select r.* from @task r where r.scope = s.id and r.key = u.key limit 1) t
     join @lane l on l.id = t.lane`,
    [
      identities.map(({ job }) => job),
      identities.map(({ gate }) => gate),
      identities.map(({ key }) => key),
      identities.map(({ priority }) => priority),
    ],
  );
  return rows.map(({ wanted, ...row }) => ({ row, priority: wanted }));
}

const isRaisable = (row: TaskRow, priority: number) =>
  row.state < taskStates.running && row.priority < priority;

async function readGates(
  session: PostgresSession,
  toLock: ReadonlySet<string>,
  others: readonly { readonly gate: string }[],
): Promise<readonly PostgresGateRow[]> {
  const toSee = new Set(others.map(({ gate }) => gate).filter((gate) => !toLock.has(gate)));
  toSee.delete("");
  const [locked, seen] = await Promise.all([
    lockGates(session, [...toLock]),
    toSee.size === 0
      ? []
      : session.query<PostgresGateRow>(`${selectGates} where name = any($1::text[])`, [[...toSee]]),
  ]);
  return [...locked, ...seen];
}

export async function lockTasks(
  session: PostgresSession,
  ids: readonly number[],
): Promise<readonly TaskRow[]> {
  if (ids.length === 0) return [];
  return session.query(
    `select ${taskColumns} from @task t join @lane l on l.id = t.lane
     where t.id = any($1::bigint[]) order by t.id for no key update of t`,
    [[...new Set(ids)]],
  );
}

const unique = (rows: readonly TaskRow[]): readonly TaskRow[] => [
  ...new Map(rows.map((row) => [row.id, row])).values(),
];
