import { taskStates } from "../../../row-state.ts";
import { queryOne, type PostgresSession } from "../connection/database.ts";

/**
 * Orphans cannot arise from the program, because a task and its lane, job and gate are written
 * together. They are searched for because people edit tables. Each orphan is moved to where people
 * can see it; none is deleted.
 */
const orphans = {
  /** Tasks whose lane is missing, so that their kind, job and gate are unknown. */
  ofNoLane: `select t.id from @task t
    where not exists (select 1 from @lane l where l.id = t.lane)`,
  ofNoJob: `select t.id from @task t join @lane l on l.id = t.lane
    where not exists (select 1 from @job j where j.name = l.job)`,
  ofNoGate: `select t.id from @task t join @lane l on l.id = t.lane
    where l.gate <> '' and not exists (select 1 from @gate g where g.name = l.gate)`,
  /** Tasks that wait in a completed job, so that no worker ever gets them. */
  ofCompletedJob: `select t.id from @task t join @lane l on l.id = t.lane
    join @job j on j.name = l.job where t.state < ${taskStates.running} and j.ended = 'completed'`,
  /** Tasks that run without a claim, so that no sweep ever finds them. */
  ofNoClaim: `select t.id from @task t where t.state = ${taskStates.running} and not exists (
    select 1 from @claim c where c.token = t.token and t.id = any(c.ids))`,
};

export async function countOrphans(session: PostgresSession): Promise<number> {
  const all = Object.values(orphans).join(" union ");
  const { count } = await queryOne<{ count: number }>(
    session,
    `select count(*) as count from (${all}) o`,
  );
  return count;
}

/** Does not correct the counters of lanes, gates, jobs and claims: a recount must follow. */
export async function repairOrphans(session: PostgresSession, nowMs: number): Promise<void> {
  const noted = (reason: string) =>
    `(coalesce(attempts::jsonb, '[]'::jsonb) || jsonb_build_object('token', 0, 'atMs', ${nowMs},
      'outcome', 'cancelled', 'reason', '${reason}'))::text`;
  const lost = await session.query<{ id: number }>(orphans.ofNoLane);
  if (lost.length > 0) await keepLost(session, lost.length, nowMs, noted);
  // The settings of the job are lost; what it has done is kept.
  await session.query(
    `insert into @job (name, is_paused, is_sealed, ended, has_rest, concurrency, budget, gate,
       completions, opened_at, ended_at)
     select distinct l.job, false, false, null, false, null::int, null::int, '', 0, $1::bigint,
       0 from @lane l
     where not exists (select 1 from @job j where j.name = l.job)`,
    [nowMs],
  );
  await session.query(
    `insert into @gate (name, delay_ms, capacity, blocked_until, opens_at, running, run_slots,
       open_from, has_room, is_open)
     select distinct l.gate, 0, 1, 0, 0, 0, 0, 0, true, false from @lane l
     where l.gate <> '' and not exists (select 1 from @gate g where g.name = l.gate)`,
  );
  await session.query(
    `with skipped as (
       update @task t set state = ${taskStates.skipped}, finished_at = $1,
         attempts = ${noted("an orphan: its job had completed")}
       where t.id in (${orphans.ofCompletedJob}) returning t.lane)
     insert into @job_counter as c (job, stripe, slots, added, over_budget, pending, running, done,
       skipped, failed, served)
     select l.job, 0, 0, 0, 0, 0, 0, 0, count(*), 0, 0
     from skipped s join @lane l on l.id = s.lane group by l.job
     on conflict (job, stripe) do update set skipped = c.skipped + excluded.skipped`,
    [nowMs],
  );
  // With a claim, they stay leased until their lease ends, and are then swept like others.
  await session.query(
    `insert into @claim (token, request_id, worker, ids, open, is_open, has_suspect, lease_ms,
       made_at, expires_at)
     select token, 'orphan-' || token, 'unknown', array_agg(id), count(*), true, false, 0, $1,
       min(expires_at)
     from @task where id in (${orphans.ofNoClaim}) group by token
     on conflict (token) do update set ids = claim.ids || excluded.ids, is_open = true,
       expires_at = least(claim.expires_at, excluded.expires_at)`,
    [nowMs],
  );
}

async function keepLost(
  session: PostgresSession,
  count: number,
  nowMs: number,
  noted: (reason: string) => string,
): Promise<void> {
  await session.query(
    `insert into @job (name, is_paused, is_sealed, ended, has_rest, concurrency, budget, gate,
       completions, opened_at, ended_at)
     values ('orphans', false, false, null, false, null, null, '', 0, $1, 0)
     on conflict do nothing`,
    [nowMs],
  );
  await session.query(
    `insert into @job_counter as c (job, stripe, slots, added, over_budget, pending, running, done,
       skipped, failed, served)
     values ('orphans', 0, 0, $1, 0, 0, 0, 0, 0, $1, 0)
     on conflict (job, stripe) do update set added = c.added + excluded.added,
       failed = c.failed + excluded.failed`,
    [count],
  );
  await session.query(
    "insert into @scope (job, gate) values ('orphans', '') on conflict do nothing",
  );
  await session.query(
    `insert into @lane (scope, kind, job, gate, is_open, is_ready, top, head)
     select id, 'orphan', job, gate, true, false, 0, 0 from @scope
     where job = 'orphans' and gate = '' on conflict do nothing`,
  );
  // The keys of orphans may repeat, so prefix them with the id.
  await session.query(
    `update @task t set state = ${taskStates.failed}, finished_at = $1, expires_at = 0, key = t.id || ' ' || t.key,
       attempts = ${noted("an orphan: its lane was missing from the tables")},
       scope = l.scope, lane = l.id
     from @lane l where l.kind = 'orphan' and l.job = 'orphans' and l.gate = ''
       and t.id in (${orphans.ofNoLane})`,
    [nowMs],
  );
}
