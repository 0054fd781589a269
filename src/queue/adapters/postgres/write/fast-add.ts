import type { Add } from "../../../operation.ts";
import type { NewTask } from "../../../task.ts";
import type { PostgresSession } from "../connection/database.ts";
import type { Grouped } from "../../../slice/named-tasks.ts";
import type { AppliedGroup } from "./group.ts";
import { isKeptSql } from "../read/log.ts";
import { momentValues, withMoment, type Moment } from "../connection/moment.ts";
import { allAdded } from "./task-writes.ts";

export interface FastAddContext {
  readonly session: PostgresSession;
  readonly moment: Moment;
  readonly stripe: number;
}

/**
 * Fast path for up to 63 new tasks without a gate that are due, in open jobs without a budget and
 * in lanes that exist: one statement checks, inserts and counts them. If any task does not fit, the
 * statement writes nothing and the answer is undefined.
 */
export async function addFast(
  { session, moment, stripe }: FastAddContext,
  operations: readonly Add[],
): Promise<AppliedGroup | undefined> {
  const tasks = operations.flatMap((operation) => operation.tasks);
  const column = <T>(of: (task: NewTask) => T) => tasks.map(of);
  const jobs = [...new Set(tasks.map(({ job }) => job))];
  // Lock before the statement that reads the lanes, so that these lanes cannot be deleted.
  session.send("select 1 from @job where name = any($1::text[]) order by name for key share", [
    jobs,
  ]);
  const [found] = await session.query<{ ids: readonly number[] | null }>(fastAddSql, [
    ...momentValues(moment),
    column(({ kind }) => kind),
    column(({ job }) => job),
    column(({ key }) => key),
    column(({ payload }) => payload),
    column(({ priority }) => priority),
    column(({ attemptsMax }) => attemptsMax),
    stripe,
  ]);
  const ids = found?.ids;
  if (!ids) return undefined;
  return {
    answers: () => allAdded(operations, ids),
    jobs: [],
    mayWake: true,
  };
}

/** More tasks are sent in a more compact form, see ./batch-add.ts */
const tasksMax = 63;

export function isFastAdd(group: readonly Grouped[]): group is readonly Add[] {
  const seen = new Set<string>();
  const isFastOne = ({ job, gate, key, dueAtMs }: NewTask) => {
    const size = seen.size;
    return gate === "" && dueAtMs === 0 && seen.add(`${key}\0${job}`).size > size;
  };
  return (
    group.every(
      (operation) => operation.op === "add" && !operation.by && operation.tasks.every(isFastOne),
    ) &&
    seen.size > 0 &&
    seen.size <= tasksMax
  );
}

/**
 * Inserts tasks in the order that all transactions use, see ./task-writes.ts, then updates
 * counters. Each task is looked up separately: with statistics of an empty table, a planner would
 * scan it.
 */
const fastAddSql = `${withMoment},
  wanted as materialized (
    select w.*, l.id as lane, l.scope
    from (select *, ''::text as gate
      from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::int[], $8::int[])
        with ordinality as v (kind, job, key, payload, priority, attempts_max, n)) w
    join @job j on j.name = w.job and j.ended is null and not j.is_sealed and j.budget is null
      and j.gate = ''
    cross join lateral (select m.id, m.scope from @lane m
      where m.job = w.job and m.gate = '' and m.kind = w.kind limit 1) l
    left join lateral (select t.id from @task t
      where t.scope = l.scope and t.key = w.key limit 1) known on true
    where known.id is null and not ${isKeptSql("w")}),
  checked as materialized (select count(*) = cardinality($3) as "isSimple" from wanted),
  inserted as (
    insert into @task (id, lane, scope, key, payload, priority, due_at, created_at, state, token,
      used, attempts_max, is_suspect, expires_at, attempts, result, finished_at)
    select id, lane, scope, key, payload, priority, 0, (select ms from moment), 0, 0, 0,
      attempts_max, false, 0, null, null, 0
    from (select nextval('@task_id') as id, v.* from (
      select * from wanted where (select "isSimple" from checked) order by n) v) u
    order by scope, key collate "C"
    returning id),
  jobs as (
    insert into @job_counter as c (job, stripe, slots, added, over_budget, pending, running, done,
      skipped, failed, served)
    select job, $9::int, 0, count(*), 0, count(*), 0, 0, 0, 0, 0
    from wanted where (select count(*) from inserted) > 0
    group by job order by job collate "C"
    on conflict (job, stripe) do update set added = c.added + excluded.added,
      pending = c.pending + excluded.pending
    returning 1),
  lanes as (
    insert into @lane_counter as c (lane, stripe, ready, scheduled, backoff, suspect, running, done,
      skipped, failed)
    select lane, $9, count(*), 0, 0, 0, 0, 0, 0, 0
    from wanted where (select count(*) from jobs) > 0
    group by lane order by lane
    on conflict (lane, stripe) do update set ready = c.ready + excluded.ready)
  select json_agg(id order by id) as ids from inserted`;
