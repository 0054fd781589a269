import type { ModelNow } from "../../../model/now.ts";
import { sweep as sweepModel } from "../../../model/sweep.ts";
import { bulkRowsMax, sweepRowsMax, type Swept } from "../../../operation.ts";
import type { Counts } from "../read/counts.ts";
import type { PostgresSession } from "../connection/database.ts";
import { lockTasks } from "./group.ts";
import { jobColumns, lockGates, lockLanes, uncounted, type JobSettingsRow } from "../rows/rows.ts";
import { createLockedSlice } from "./slice.ts";
import { stateLists, taskStates } from "../../../row-state.ts";
import type { TaskRow } from "../../../slice/task-row.ts";
import { writeSlice } from "./write-slice.ts";

export interface SweepOptions {
  readonly now: () => Promise<ModelNow>;
  readonly counts: Counts;
  readonly waits: boolean;
  /** Sweep only the tasks of cancelled jobs. */
  readonly isAfterCancel: boolean;
}

type Found = Pick<TaskRow, "id" | "lane" | "job" | "gate">;

/**
 * The only place where an expired lease has an effect. One process sweeps at a time. Others wait
 * for it only if a caller asked for a sweep. undefined: another process is sweeping.
 */
export async function sweep(
  session: PostgresSession,
  { now, counts, waits, isAfterCancel }: SweepOptions,
): Promise<{ readonly swept: Swept; readonly jobs: readonly string[] } | undefined> {
  const lock = waits ? "pg_advisory_xact_lock" : "pg_try_advisory_xact_lock";
  const [taken] = await session.query<{ lock: unknown }>(
    `select ${lock}('@claim'::regclass::oid::bigint) as lock`,
  );
  if (taken?.lock === false) return undefined;

  const at = await now();
  const expired = isAfterCancel ? [] : await expiredTasks(session, at.ms);
  const cancelled = await cancelledTasks(session);
  const names = [...new Set([...expired, ...cancelled].map(({ job }) => job))];
  const jobs = await session.query<JobSettingsRow>(
    `select ${jobColumns} from @job j where j.name = any($1::text[])`,
    [names],
  );
  const gateNames = [...new Set(expired.map(({ gate }) => gate).filter((gate) => gate !== ""))];
  const gates = await lockGates(session, gateNames);
  const laneIds = cancelled.filter(({ gate }) => gate !== "").map(({ lane }) => lane);
  await lockLanes(session, { gates: gateNames, ids: laneIds });
  const rows = await lockTasks(
    session,
    [...expired, ...cancelled].map(({ id }) => id),
  );
  const slice = createLockedSlice({
    now: at,
    rows,
    gates,
    // Any number other than 0 makes the model look for tasks of cancelled jobs.
    jobs: jobs.map((job) => ({ ...uncounted(job), pending: job.ended === "cancelled" ? 1 : 0 })),
    lockedGates: new Set(gateNames),
  });
  const swept = sweepModel(slice.draft);
  await writeSlice(session, slice, counts);
  if (!isAfterCancel) await lookAgainLater(session, at.ms);
  return { swept, jobs: names };
}

/** One more than may be swept, to know whether there are more. */
const expiredTasks = (session: PostgresSession, nowMs: number): Promise<readonly Found[]> =>
  session.query(
    `select t.id, t.lane, l.job, l.gate
     from @claim c cross join lateral unnest(c.ids) as u (id)
     join @task t on t.id = u.id join @lane l on l.id = t.lane
     where c.is_open and c.expires_at <= $1 and t.token = c.token and t.state = ${taskStates.running}
       and t.expires_at <= $1
     order by t.expires_at, t.id limit $2`,
    [nowMs, sweepRowsMax + 1],
  );

async function cancelledTasks(session: PostgresSession): Promise<readonly Found[]> {
  const [rest] = await session.query("select 1 from @job where has_rest limit 1");
  if (!rest) return [];
  // Lane by lane, each through its own index, so that tasks of other jobs are not read.
  const pending = (states: string) =>
    `select t.id, l.id as lane, l.job, l.gate from @job j join @lane l on l.job = j.name
     cross join lateral (select r.id from @task r where r.lane = l.id and ${states} limit $1) t
     where j.has_rest and j.ended = 'cancelled'`;
  const found = await session.query<Found>(
    `select * from (${pending(`r.state = ${taskStates.ready}`)} union all ${pending(`r.state in ${stateLists.notReady}`)}) p
     order by id limit $1`,
    [bulkRowsMax + 1],
  );
  if (found.length === 0) {
    // Keep `has_rest` until no task runs either, because a running task may still be released and
    // become pending.
    await session.query(
      `update @job j set has_rest = false where j.name = any(array(
         select k.name from @job k where k.has_rest and (select coalesce(sum(c.pending + c.running),
           0) from @job_counter c where c.job = k.name) = 0
         order by k.name for update skip locked))`,
    );
  }
  return found;
}

/** Claims whose leases were extended are checked again when these leases end. */
const lookAgainLater = (session: PostgresSession, nowMs: number) =>
  session.query(
    `update @claim c set expires_at = coalesce((
         select min(t.expires_at) from unnest(c.ids) as u (id) join @task t on t.id = u.id
         where t.token = c.token and t.state = ${taskStates.running}), c.expires_at)
     where c.token = any(array(select d.token from @claim d
       where d.is_open and d.expires_at <= $1 order by d.token for update skip locked))`,
    [nowMs],
  );

/** Deletes claims that can no longer be repeated. */
export const forgetClaims = (session: PostgresSession, nowMs: number) =>
  session.query(
    `delete from @claim where token = any(array(
       select token from @claim where not is_open and made_at <= $1 and made_at + lease_ms <= $1
       limit $2 for update skip locked))`,
    [nowMs, sweepRowsMax],
  );
