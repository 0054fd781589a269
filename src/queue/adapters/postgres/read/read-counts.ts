import { stateLists, stateNames, taskStates } from "../../../row-state.ts";
import type { JobCounts, KindCounts, QueueCounts, ReasonCount } from "../../../read/counts.ts";
import type { WaitingReason } from "../../../waiting.ts";
import { queryOne, type PostgresSession } from "../connection/database.ts";
import { momentValues, withMoment, type Moment } from "../connection/moment.ts";

/**
 * Reads statistics in one statement. The server adds them up and returns one row, however many
 * lanes there are.
 */
export async function readCounts(session: PostgresSession, moment: Moment): Promise<CountsFound> {
  // With the statistics of a small table, the planner would scan it, here once per lane.
  session.send("set local enable_seqscan = off");
  const row = await queryOne<CountsRow>(session, countsSql, momentValues(moment));
  const waits = new Map<string, Map<number, number>>();
  for (const { kind, bucket, count } of row.waits ?? []) {
    waits.set(kind, (waits.get(kind) ?? new Map<number, number>()).set(bucket, count));
  }
  const reasons = row.reasons ?? [];
  return {
    wentBack: row.wentBack,
    counts: {
      now: { ms: row.ms, wallMs: row.wall },
      kinds: (row.kinds ?? []).map((kind) => {
        const own = reasons.filter((one) => one.kind === kind.kind);
        const claimable = own.find(({ reason }) => reason === "worker_capacity");
        return {
          ...kind,
          shard: 0,
          reasons: own.map(({ reason, count, oldestAtMs }) => ({ reason, count, oldestAtMs })),
          claimableSinceMs: claimable?.sinceMs ?? 0,
        };
      }),
      shards: 1,
      lanes: row.lanes,
      gates: row.gates,
      jobs: row.jobs,
      waits,
      raises: row.raises,
    },
  };
}

export interface CountsFound {
  readonly counts: QueueCounts;
  /** True if the wall clock is behind the due time of a ready task. */
  readonly wentBack: boolean;
}

interface CountsRow {
  readonly ms: number;
  readonly wall: number;
  readonly wentBack: boolean;
  readonly kinds: readonly Omit<KindCounts, "shard" | "reasons" | "claimableSinceMs">[] | null;
  readonly reasons:
    | readonly (ReasonCount & { readonly kind: string; readonly sinceMs: number })[]
    | null;
  readonly lanes: number;
  readonly gates: number;
  readonly jobs: JobCounts;
  readonly waits:
    | readonly { readonly kind: string; readonly bucket: number; readonly count: number }[]
    | null;
  readonly raises: QueueCounts["raises"];
}

/**
 * Ids rise with the time of creation, so the first id of each priority is the oldest: one step per
 * priority.
 */
const oldestReadySql = `select min(t.created_at) from (
    with recursive step (priority, id) as (
      (select r.priority, r.id from @task r where r.lane = l.id and r.state = ${taskStates.ready}
       order by r.priority desc, r.id limit 1)
      union all
      select n.priority, n.id from step s cross join lateral (
        select r.priority, r.id from @task r
        where r.lane = l.id and r.state = ${taskStates.ready} and r.priority < s.priority
        order by r.priority desc, r.id limit 1) n)
    select id from step
    union all
    select r.id from @task r where r.lane = l.id and r.state = ${taskStates.suspect} and r.state in ${stateLists.notReady}) best
  join @task t on t.id = best.id`;

const oldestWaitingSql = (state: number) => `select r.created_at from @task r
  where r.lane = l.id and r.state = ${state} and r.state in ${stateLists.notReady} and r.due_at > moment.wall
  order by r.id limit 1`;

const reason = (name: WaitingReason) => `'${name}'`;

const sum = (column: string) => `sum(${column})::bigint as ${column}`;

const countsSql = `${withMoment},
  counted as (
    select lane, ${stateNames.map(sum).join(", ")}
    from @lane_counter group by lane),
  -- Due since, and not yet made ready by a claim.
  late as (
    select t.lane, count(*) filter (where t.state = ${taskStates.scheduled}) as scheduled,
      count(*) filter (where t.state = ${taskStates.backoff}) as backoff, min(t.created_at) as oldest
    from moment, @task t where t.state in ${stateLists.dueLater} and t.due_at <= moment.wall group by t.lane),
  lanes as (
    select l.kind, l.gate,
      c.ready + c.suspect + coalesce(late.scheduled, 0) + coalesce(late.backoff, 0) as ready,
      c.scheduled - coalesce(late.scheduled, 0) as scheduled,
      c.backoff - coalesce(late.backoff, 0) as backoff,
      c.running, c.done, c.skipped, c.failed,
      least(case when c.ready + c.suspect > 0 then (${oldestReadySql}) end, late.oldest)
        as oldest_ready,
      case when c.scheduled > 0 then (${oldestWaitingSql(taskStates.scheduled)}) end as oldest_scheduled,
      case when c.backoff > 0 then (${oldestWaitingSql(taskStates.backoff)}) end as oldest_backoff,
      coalesce(g.open_from, 0) as open_from,
      case when j.is_paused or j.ended is not null then ${reason("paused")} end as held,
      case when g.name is not null and not (g.has_room and g.open_from <= moment.ms)
          then ${reason("domain_delay")}
        when j.concurrency <= (select coalesce(sum(n.slots), 0) from @job_counter n
          where n.job = j.name) then ${reason("concurrency_limit")}
        else ${reason("worker_capacity")} end as due
    from moment, @lane l join counted c on c.lane = l.id join @job j on j.name = l.job
      left join @gate g on g.name = l.gate left join late on late.lane = l.id),
  reasons as (
    select n.kind, w.reason, sum(w.count)::bigint as count, min(w.oldest)::bigint as "oldestAtMs",
      min(greatest(w.oldest, n.open_from))::bigint as "sinceMs"
    from lanes n cross join lateral (values
      (coalesce(n.held, n.due), n.ready, n.oldest_ready),
      (coalesce(n.held, ${reason("scheduled")}), n.scheduled, n.oldest_scheduled),
      (coalesce(n.held, ${reason("retry_backoff")}), n.backoff, n.oldest_backoff)) as w (reason, count, oldest)
    where w.count > 0 group by n.kind, w.reason),
  kinds as (
    select kind, sum(ready + scheduled + backoff)::bigint as pending,
      ${["running", "done", "skipped", "failed"].map(sum).join(", ")}
    from lanes group by kind)
  select moment.ms, moment.wall,
    coalesce((select max(ready_due) from @tally), 0) > moment.wall as "wentBack",
    (select json_agg(k) from kinds k) as kinds, (select json_agg(r) from reasons r) as reasons,
    (select count(*) from lanes) as lanes,
    (select count(*) from @gate g
     where exists (select 1 from @lane l where l.gate = g.name and l.gate <> '')) as gates,
    (select json_build_object('open', count(*) filter (where ended is null and not is_paused),
       'paused', count(*) filter (where ended is null and is_paused),
       'ended', count(*) filter (where ended is not null)) from @job) as jobs,
    (select json_agg(w) from (select kind, bucket, sum(count)::bigint as count from @wait
       group by kind, bucket) w) as waits,
    (select json_build_object('raised', coalesce(sum(raised), 0)::bigint,
       'unchanged', coalesce(sum(unchanged), 0)::bigint) from @tally) as raises
  from moment`;
