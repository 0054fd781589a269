import { gateDefaults } from "../../../gate.ts";
import { retry as retryModel } from "../../../model/bulk.ts";
import type { ModelNow } from "../../../model/now.ts";
import type { Changed, FinishedFilter, Purge, Retry } from "../../../operation.ts";
import type { Counts } from "../read/counts.ts";
import type { PostgresSession } from "../connection/database.ts";
import { lockTasks } from "./group.ts";
import { countKept, identitySql } from "../read/log.ts";
import { jobColumns, lockLanes, uncounted, type JobSettingsRow } from "../rows/rows.ts";
import { createLockedSlice } from "./slice.ts";
import { finishedFrom, stateName, taskStates } from "../../../row-state.ts";
import type { TaskRow } from "../../../slice/task-row.ts";
import { writeSlice } from "./write-slice.ts";

type Found = Pick<TaskRow, "id" | "lane" | "job" | "gate" | "state">;

/**
 * Makes failed or skipped tasks pending again and reopens their jobs. Each task may use all its
 * attempts again, and keeps the history of the earlier ones.
 */
export async function retry(
  session: PostgresSession,
  operation: Retry,
  now: () => Promise<ModelNow>,
  counts: Counts,
): Promise<{ readonly changed: Changed; readonly jobs: readonly string[] }> {
  const { found, jobs } = await finishedTasks(session, operation);
  const laneIds = found.filter(({ gate }) => gate !== "").map(({ lane }) => lane);
  await lockLanes(session, { gates: [], ids: laneIds });
  const rows = await lockTasks(
    session,
    found.map(({ id }) => id),
  );
  const slice = createLockedSlice({ now: await now(), rows, jobs: jobs.map(uncounted) });
  const changed = retryModel(slice.draft, operation);
  await writeSlice(session, slice, counts);
  return { changed, jobs: jobs.map(({ name }) => name) };
}

/** A lane is deleted with its last task. `forgetEmpty` decides about its job and gate. */
export async function purge(
  session: PostgresSession,
  operation: Purge,
  counts: Counts,
): Promise<Changed> {
  const { found, hasMore } = await finishedTasks(session, operation);
  const laneIds = found.filter(({ gate }) => gate !== "").map(({ lane }) => lane);
  await lockLanes(session, { gates: [], ids: laneIds });
  const rows = await session.query<Found>(purgeSql, [
    found.map(({ id }) => id).slice(0, operation.rowsMax),
    operation.keepKeys,
  ]);
  for (const { lane, job, gate, state } of rows) {
    counts.purged({ id: lane, job, gate }, stateName(state));
  }
  counts.write(session);
  countKept(session, "log_entries", rows.length);
  if (operation.keepKeys) countKept(session, "kept_keys", rows.length);
  await dropEmpty(session, [...new Set(rows.map(({ lane }) => lane))]);
  return { changed: rows.length, hasMore };
}

/** One statement deletes the row, inserts its log entry and reserves its key. */
const purgeSql = `with gone as (
    delete from @task t using @lane l where l.id = t.lane and t.id = any(array(
      select id from @task where id = any($1::bigint[]) and state >= ${finishedFrom} order by id for update))
    returning t.id, t.lane, l.kind, l.job, l.gate, t.key, t.state, t.created_at, t.finished_at,
      t.used, t.attempts_max, t.attempts),
  logged as (
    insert into @log (id, kind, job, gate, key, state, created_at, finished_at, used,
      attempts_max, attempts)
    select id, kind, job, gate, key, state, created_at, finished_at, used, attempts_max, attempts
    from gone order by id),
  kept as (
    insert into @kept_key (identity, id, kind, job, gate, state, finished_at)
    select ${identitySql("gone")}, id, kind, job, gate, state, finished_at
    from gone where $2 order by 1
    on conflict (identity) do update set id = excluded.id, kind = excluded.kind,
      state = excluded.state, finished_at = excluded.finished_at)
  select id, lane, job, gate, state from gone`;

/** Deletes empty lanes. The jobs are locked, so that no task can be added to these lanes. */
async function dropEmpty(session: PostgresSession, lanes: readonly number[]): Promise<void> {
  const dropped = await session.query<{ id: number }>(
    `delete from @lane l where l.id = any(array(
       select id from @lane where id = any($1::bigint[]) order by id for update))
       and (select coalesce(sum(ready + scheduled + backoff + suspect + running + done + skipped
         + failed), 0) from @lane_counter c where c.lane = l.id) = 0
     returning l.id`,
    [lanes],
  );
  await session.query("delete from @lane_counter where lane = any($1::bigint[])", [
    dropped.map(({ id }) => id),
  ]);
}

/**
 * Deletes ended jobs, and gates that equal a new gate, if they have no lane left. Each is locked
 * and then checked again, because a transaction that creates a lane locks both.
 */
export async function forgetEmpty(session: PostgresSession, nowMs: number): Promise<void> {
  const isEmptyJob = `j.ended is not null
    and not exists (select 1 from @lane l where l.job = j.name)`;
  const isEmptyGate = `g.delay_ms = ${gateDefaults.delayMs} and g.capacity = ${gateDefaults.limit}
    and g.running = 0 and g.open_from <= $1
    and not exists (select 1 from @lane l where l.gate = g.name and l.gate <> '')`;
  const [jobs, gates] = await Promise.all([
    session.query<{ name: string }>(
      `select j.name from @job j where ${isEmptyJob} order by j.name limit ${forgetMax}
       for update skip locked`,
    ),
    session.query<{ name: string }>(
      `select g.name from @gate g where ${isEmptyGate} order by g.name limit ${forgetMax}
       for update skip locked`,
      [nowMs],
    ),
  ]);
  const gone = await session.query<{ name: string }>(
    `delete from @job j where j.name = any($1::text[]) and ${isEmptyJob} returning j.name`,
    [jobs.map(({ name }) => name)],
  );
  const names = gone.map(({ name }) => name);
  session.send("delete from @job_counter where job = any($1::text[])", [names]);
  session.send("delete from @scope where job = any($1::text[])", [names]);
  session.send(`delete from @gate g where g.name = any($2::text[]) and ${isEmptyGate}`, [
    nowMs,
    gates.map(({ name }) => name),
  ]);
}

const forgetMax = 5_000;

/**
 * Finished tasks by state, then oldest first, like the model: one more than requested, to know
 * whether there are more. Their jobs are locked against concurrent adds.
 */
async function finishedTasks(
  session: PostgresSession,
  { filter, rowsMax }: { readonly filter: FinishedFilter; readonly rowsMax: number },
) {
  const found: Found[] = [];
  for (const state of ["done", "skipped", "failed"] as const) {
    if (!filter.states.includes(state)) continue;
    found.push(...(await finishedOf(session, state, filter, rowsMax + 1 - found.length)));
  }
  const jobs = await session.query<JobSettingsRow>(
    `select ${jobColumns} from @job j where j.name = any($1::text[]) order by j.name for update`,
    [[...new Set(found.map(({ job }) => job))]],
  );
  return { found, jobs, hasMore: found.length > rowsMax };
}

const finishedOf = (
  session: PostgresSession,
  state: "done" | "skipped" | "failed",
  { ids, job, kind, gate, finishedBeforeMs }: FinishedFilter,
  limit: number,
): Promise<readonly Found[]> => {
  const values: unknown[] = [limit];
  const where: string[] = [];
  const add = (condition: (parameter: string) => string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    where.push(`and ${condition(`$${values.length}`)}`);
  };
  add((parameter) => `t.id = any(${parameter}::bigint[])`, ids);
  add((parameter) => `l.job = ${parameter}`, job);
  add((parameter) => `l.kind = ${parameter}`, kind);
  add((parameter) => `l.gate = ${parameter}`, gate);
  add((parameter) => `t.finished_at < ${parameter}`, finishedBeforeMs);
  return session.query(
    `select t.id, t.lane, l.job, l.gate, t.state from @task t join @lane l on l.id = t.lane
     where t.state = ${taskStates[state]} and t.state >= ${finishedFrom} ${where.join(" ")}
     order by t.finished_at, t.id limit $1`,
    values,
  );
};
