import { taskStates } from "../../../row-state.ts";
import type { Claim, Claimed } from "../../../operation.ts";
import { waitBounds } from "../../../read/wait-histogram.ts";
import { picksMax, toLease } from "./claim.ts";
import type { PostgresReadyRow } from "./claim-rows.ts";
import { isAnyNeed, withNeeds } from "./claim-needs.ts";
import type { PostgresSession } from "../connection/database.ts";
import type { KnownClaim } from "./known-leases.ts";
import { momentValues, type Moment } from "../connection/moment.ts";
import { isNotBehind } from "./tokens.ts";

export interface FastClaimContext {
  readonly session: PostgresSession;
  readonly moment: Moment;
  readonly stripe: number;
  readonly looksForComplete: boolean;
}

/**
 * Fast path if one lane only has tasks for this worker, it has no gate, its job has no cap, and
 * nothing has to be done before the claim: one statement checks, locks, leases, counts and reads the
 * tasks. In every other case it writes nothing and the answer is undefined.
 */
export async function claimFast(
  { session, moment, stripe, looksForComplete }: FastClaimContext,
  request: Claim,
): Promise<{ readonly claimed: Claimed; readonly taken: KnownClaim } | undefined> {
  const { requestId, worker, kinds, limit, leaseMs } = request;
  const found = session.query<FastRow>(fastClaimSql, [
    ...momentValues(moment),
    requestId,
    worker,
    looksForComplete,
    [...new Set(kinds)],
    limit,
    leaseMs,
    stripe,
  ]);
  const [first, ...others] = await found;
  if (!first?.fitsFastPath) return undefined;
  const tasks = first.task === null ? [] : ([first, ...others] as readonly TakenRow[]);
  const leases = [...tasks]
    .sort((a, b) => b.priority - a.priority || a.task - b.task)
    .map((row) => {
      const lane = { kind: row.kind, job: row.job, gate: "" };
      const { token, used } = row;
      return toLease({ ...row, id: row.task }, lane, { token, used, leaseMs, pace: undefined });
    });
  const lanesById = new Map(
    tasks.map(({ task, lane, kind, job }) => [task, { id: lane, kind, job, gate: "" }]),
  );
  return { claimed: { leases, hasSuspect: false }, taken: { isUnthrottled: true, lanesById } };
}

type TakenRow = Pick<
  PostgresReadyRow,
  "lane" | "key" | "payload" | "priority" | "created_at" | "used" | "attempts_max" | "is_suspect"
> & {
  readonly fitsFastPath: true;
  readonly task: number;
  readonly token: number;
  readonly kind: string;
  readonly job: string;
};
type FastRow = TakenRow | { readonly fitsFastPath: boolean; readonly task: null };

const { bounds, buckets } = waitBounds();

/**
 * Counters are updated last and in the order that all transactions use: each part waits for the one
 * before it. If there is a second lane, a suspect or an open gate, the slow path must serve the
 * claim.
 */
const fastClaimSql = `${withNeeds},
  stop as materialized (
    select l.id, l.kind, l.job, j.concurrency from @lane l join @job j on j.name = l.job
    cross join lateral (select 1 from @task t where t.lane = l.id and t.state = ${taskStates.ready}
      order by t.priority desc, t.id limit 1) h
    where l.gate = '' and l.kind = any($6::text[]) and j.ended is null and not j.is_paused
    limit 2),
  checked as materialized (
    select ms, late, wall, repeats is null and not "holdsSuspect" and not ${isAnyNeed}
      and not exists (select 1 from @task where state = ${taskStates.suspect})
      and not exists (select 1 from @lane where is_open and is_ready)
      and (select count(*) < 2 and count(concurrency) = 0 from stop)
      and ${isNotBehind} as "fitsFastPath"
    from needs),
  drawn as materialized (
    select id as lane, kind, job, ms, late, wall, nextval('@token') as token, nextval('@served') as turn
    from checked cross join stop where "fitsFastPath"),
  taken as (
    update @task r set state = ${taskStates.running}, token = d.token, used = r.used + 1, expires_at = d.late + $8::bigint
    from drawn d
    where r.id = any(array(select b.id from @task b
        where b.lane = (select lane from drawn) and b.state = ${taskStates.ready}
        order by b.priority desc, b.id limit $7::int for no key update skip locked))
    returning r.id as task, r.lane, r.key, r.payload, r.priority, r.due_at, r.created_at, r.used,
      r.attempts_max, r.is_suspect, d.token),
  sum as materialized (select count(*) as count from taken),
  recorded as (
    insert into @claim (token, request_id, worker, ids, open, is_open, has_suspect, lease_ms,
      made_at, expires_at)
    select d.token, $3, $4, array(select task from taken order by priority desc, task), sum.count,
      true, false, $8, d.late, d.late + $8
    from drawn d cross join sum where sum.count > 0
    returning 1),
  jobs as (
    insert into @job_counter as c (job, stripe, slots, added, over_budget, pending, running, done,
      skipped, failed, served)
    select d.job, $9::int, sum.count, 0, 0, -sum.count, sum.count, 0, 0, 0, d.turn * ${picksMax}
    from drawn d cross join sum where exists (select 1 from recorded)
    on conflict (job, stripe) do update set slots = c.slots + excluded.slots,
      pending = c.pending + excluded.pending, running = c.running + excluded.running,
      served = greatest(c.served, excluded.served)
    returning 1),
  lanes as (
    insert into @lane_counter as c (lane, stripe, ready, scheduled, backoff, suspect, running, done,
      skipped, failed)
    select d.lane, $9, -sum.count, 0, 0, 0, sum.count, 0, 0, 0
    from drawn d cross join sum where exists (select 1 from jobs)
    on conflict (lane, stripe) do update set ready = c.ready + excluded.ready,
      running = c.running + excluded.running
    returning 1),
  waits as (
    insert into @wait as w (kind, bucket, stripe, count)
    select d.kind, u.bucket, $9, count(*)
    from drawn d cross join lateral (
      select ('{${buckets.join()}}'::int[])[width_bucket(
        greatest(0, least(d.ms - t.created_at, d.wall - t.due_at)),
        '{${bounds.join()}}'::bigint[])] as bucket from taken t) u
    where exists (select 1 from lanes)
    group by d.kind, u.bucket order by u.bucket
    on conflict (kind, bucket, stripe) do update set count = w.count + excluded.count)
  select p."fitsFastPath", t.*, d.kind, d.job
  from checked p left join (taken t join drawn d on d.lane = t.lane) on true`;
