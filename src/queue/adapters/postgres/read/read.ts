import type { Gate } from "../../../gate.ts";
import { newJob, type Job } from "../../../job.ts";
import type { FoundInStep } from "../../../in-steps.ts";
import type { WakeQuery } from "../../../model/read.ts";
import type { NamePage } from "../../../names.ts";
import type {
  BrowseQuery,
  EndedCursor,
  EndedQuery,
  StoreNow,
  TaskView,
} from "../../../queue-store.ts";
import type { Task } from "../../../task.ts";
import { queryOne, type PostgresSession } from "../connection/database.ts";
import { endedConditions, lookSql, stepOf, type LookedRow } from "./look.ts";
import { momentValues, withMoment, type Moment } from "../connection/moment.ts";
import { selectGates, selectJobs, toGate, type PostgresGateRow } from "../rows/rows.ts";
import { finishedFrom, rowStatesOf, stateLists, taskStates } from "../../../row-state.ts";
import { taskColumns, toTask, type TaskRow } from "../../../slice/task-row.ts";

export async function viewTask(
  session: PostgresSession,
  id: number,
  now: StoreNow,
): Promise<TaskView | undefined> {
  const [row] = await session.query<ViewRow>(
    `select ${taskColumns}, c.worker,
       (select row_to_json(g) from (${selectGates} where name = l.gate) g) as "gateRow",
       (select row_to_json(k) from (${selectJobs} where j.name = l.job group by j.name) k)
         as "jobRow"
     from @task t join @lane l on l.id = t.lane
     left join @claim c on c.token = t.token and t.state = ${taskStates.running} where t.id = $1`,
    [id],
  );
  if (!row) return undefined;
  const { gateRow, jobRow, worker } = row;
  return {
    now,
    task: toTask(row),
    gate: gateRow ? toGate(gateRow) : undefined,
    job: jobRow ?? newJob(row.job, now.ms),
    worker: worker ?? undefined,
  };
}

type ViewRow = TaskRow & {
  readonly worker: string | null;
  readonly gateRow: PostgresGateRow | null;
  readonly jobRow: Job | null;
};

export async function readGate(session: PostgresSession, name: string): Promise<Gate | undefined> {
  const [row] = await session.query<PostgresGateRow>(`${selectGates} where name = $1`, [name]);
  return row && toGate(row);
}

export async function readJob(session: PostgresSession, name: string): Promise<Job | undefined> {
  const [row] = await session.query<Job>(`${selectJobs} where j.name = $1 group by j.name`, [name]);
  return row;
}

export const readJobs = (
  session: PostgresSession,
  { after, limit }: NamePage,
): Promise<readonly Job[]> =>
  session.query<Job>(
    `${selectJobs} where j.name in (
       select name from @job where name > $1 order by name limit $2)
     group by j.name order by j.name`,
    [after, limit],
  );

/** Gates that have tasks. */
export async function readGates(
  session: PostgresSession,
  page: NamePage,
): Promise<readonly Gate[]> {
  const rows = await session.query<PostgresGateRow>(
    `${selectGates} g where g.name > $1
       and exists (select 1 from @lane l where l.gate = g.name and l.gate <> '')
     order by g.name limit $2`,
    [page.after, page.limit],
  );
  return rows.map(toGate);
}

/** The matching ones among the next `rows` tasks, by id. */
export async function browseStep(
  session: PostgresSession,
  query: BrowseQuery,
  rows: number,
): Promise<FoundInStep<Task, number>> {
  const values: unknown[] = [query.afterId, query.limit, rows];
  const where = ["t.id > $1", "t.id <= looked.last"];
  const add = (condition: (parameter: string) => string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    where.push(condition(`$${values.length}`));
  };
  if (query.states)
    where.push(`t.state in (${query.states.flatMap(rowStatesOf).join(", ") || -1})`);
  add((parameter) => `l.kind = ${parameter}`, query.kind);
  add((parameter) => `l.job = ${parameter}`, query.job);
  add((parameter) => `l.gate = ${parameter}`, query.gate);
  add((parameter) => `starts_with(t.key, ${parameter})`, query.keyPrefix);
  add((parameter) => `strpos(t.payload, ${parameter}) > 0`, query.text);
  const looked = await session.query<TaskRow & { last: number | null; isFull: boolean }>(
    `with step as materialized (select id from @task where id > $1 order by id limit $3),
       looked as (select (select max(id) from step) as last,
         (select count(*) from step) = $3::int as "isFull")
     select looked.*, found.* from looked left join lateral (
       select ${taskColumns} from @task t join @lane l on l.id = t.lane
       where ${where.join(" and ")} order by t.id limit $2) found on true`,
    values,
  );
  const [first] = looked;
  const found = looked.filter(({ id }) => id !== null).map(toTask);
  return { found, last: first?.isFull ? first.last! : undefined };
}

/**
 * The matching ones among the next `rows` finished tasks. Each state is read in order of its index.
 */
export async function endedStep(
  session: PostgresSession,
  query: EndedQuery,
  rows: number,
): Promise<FoundInStep<Task, EndedCursor>> {
  if (query.states.length === 0) return { found: [], last: undefined };
  const { isBehind, order, values, where } = endedConditions(query, [rows, query.limit], "l");
  const after = query.after ? `and (finished_at, id) ${isBehind}` : "";
  const parts = query.states.map(
    (state) => `(select id, finished_at from @task
      where state = ${taskStates[state]} and state >= ${finishedFrom} ${after}
      order by finished_at ${order}, id ${order} limit $1)`,
  );
  const looked = await session.query<LookedRow<TaskRow>>(
    lookSql({
      step: `select * from (${parts.join(" union all ")}) s
        order by finished_at ${order}, id ${order} limit $1`,
      columns: taskColumns,
      from: `step u join @task t on t.id = u.id join @lane l on l.id = t.lane
        where ${where.join(" and ")}`,
      order,
    }),
    values,
  );
  return stepOf(looked, query, toTask);
}

export async function wakeInMs(
  session: PostgresSession,
  { kinds, worker }: WakeQuery,
  moment: Moment,
): Promise<NextWake> {
  const { isReady, inMs, wentBack } = await queryOne<WakeRow>(session, wakeSql, [
    ...momentValues(moment),
    kinds,
    worker ?? null,
  ]);
  if (isReady) return { inMs: 0, wentBack };
  return { inMs: inMs === null ? undefined : Math.max(0, inMs), wentBack };
}

interface NextWake {
  readonly inMs: number | undefined;
  /** True if the wall clock is behind the due time of a ready task. */
  readonly wentBack: boolean;
}

interface WakeRow {
  readonly isReady: boolean;
  readonly inMs: number | null;
  readonly wentBack: boolean;
}

/**
 * Conditions on the kind and the job of a task that any worker could claim now. Conditions on the
 * task and its gate are added where this is used.
 */
const isWanted = `l.kind = any($3::text[]) and j.ended is null and not j.is_paused
  and (j.concurrency is null or j.concurrency > (select coalesce(sum(c.slots), 0)
    from @job_counter c where c.job = j.name))`;
/** The worker is named and holds no task. */
const takesSuspects = `($4::text is not null
  and not exists (select 1 from @claim c where c.worker = $4 and c.is_open))`;
const isGateOpen = "(l.gate = '' or (g.has_room and g.open_from <= moment.ms))";

const wakeSql = `${withMoment}
  select coalesce((select max(ready_due) from @tally), 0) > moment.wall as "wentBack", (
      exists (select 1 from @lane l join @job j on j.name = l.job
        where l.gate = '' and ${isWanted}
          -- In the order of its index: else a planner that expects many would rather read all tasks.
          and (select t.id from @task t where t.lane = l.id and t.state = ${taskStates.ready}
            order by t.priority desc, t.id limit 1) is not null)
      or exists (select 1 from @lane l join @job j on j.name = l.job
        join @gate g on g.name = l.gate
        where l.is_open and l.is_ready and ${isWanted} and ${isGateOpen})
      or exists (select 1 from @gate g join @lane l on l.gate = g.name and l.gate <> ''
        join @job j on j.name = l.job
        where not g.is_open and g.has_room and g.open_from <= moment.ms and l.is_ready
          and ${isWanted})
      or exists (select 1 from @task t join @lane l on l.id = t.lane
        join @job j on j.name = l.job left join @gate g on g.name = l.gate
        where t.state in ${stateLists.dueLater} and t.due_at <= moment.wall
          and (not t.is_suspect or ${takesSuspects}) and ${isWanted} and ${isGateOpen})
      or (${takesSuspects} and exists (select 1 from @task t join @lane l on l.id = t.lane
        join @job j on j.name = l.job left join @gate g on g.name = l.gate
        where t.state = ${taskStates.suspect} and ${isWanted} and ${isGateOpen}))) as "isReady",
    least(
      (select min(due_at) from @task where state in ${stateLists.dueLater} and due_at > moment.wall) - moment.wall,
      (select min(open_from) from @gate where not is_open and has_room and open_from > moment.ms)
        - moment.ms,
      (select min(expires_at) from @claim where is_open and expires_at > moment.ms) - moment.ms,
      -- Leases that were extended since outlive what their claim says.
      (select min(t.expires_at) from @claim c cross join lateral unnest(c.ids) as u (id)
         cross join lateral (select r.expires_at from @task r
           where r.id = u.id and r.token = c.token and r.state = ${taskStates.running} limit 1) t
         where c.is_open and c.expires_at <= moment.ms) - moment.ms) as "inMs"
  from moment`;
