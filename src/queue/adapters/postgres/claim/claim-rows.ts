import { isOpen, isOwned, type Gate } from "../../../gate.ts";
import { slotsLeft, type Job } from "../../../job.ts";
import type { ModelNow } from "../../../model/now.ts";
import type { Claim } from "../../../operation.ts";
import type { Pace } from "../../../task.ts";
import { queryOne, type PostgresSession } from "../connection/database.ts";
import { gateColumns } from "../rows/rows.ts";
import { taskStates } from "../../../row-state.ts";
import type { TaskRow } from "../../../slice/task-row.ts";

/** A lane from which a claim may take tasks. */
export interface ClaimLane {
  readonly id: number;
  readonly kind: string;
  readonly job: string;
  readonly gate: string;
}

/** A job that is open and not paused. */
export type ClaimJob = Pick<Job, "name" | "concurrency" | "slots" | "served">;

/** The columns of a task that are needed to lease it. */
export type PostgresReadyRow = Pick<
  TaskRow,
  | "id"
  | "lane"
  | "key"
  | "payload"
  | "priority"
  | "due_at"
  | "created_at"
  | "state"
  | "used"
  | "attempts_max"
  | "is_suspect"
>;

const readyColumns = `r.id, r.lane, r.key, r.payload, r.priority, r.due_at, r.created_at, r.state,
  r.used, r.attempts_max, r.is_suspect`;

export interface PostgresLanePick {
  readonly lane: ClaimLane;
  readonly tasks: readonly PostgresReadyRow[];
  /** The slots that it uses of the worker and of the job's cap. */
  readonly slots: number;
  readonly pace: Pace | undefined;
}

/**
 * What one claim has read and locked: jobs, gates, lanes and tasks, in that order. It skips rows
 * that other transactions have locked, except for capped jobs in the first round, for which it
 * waits.
 */
export interface ClaimState {
  readonly now: ModelNow;
  job(name: string): ClaimJob | undefined;
  gate(name: string): Gate | undefined;
  /**
   * Locks what these lanes need and their best tasks; returns the tasks that can be taken, by lane.
   */
  load(wanted: Wanted): Promise<ReadonlyMap<number, readonly PostgresReadyRow[]>>;
  /** Counts a pick for its job and gate. */
  enter(lane: ClaimLane, size: number, slots: number): Pace | undefined;
  changedGates(): readonly Gate[];
  lockedLanes(): readonly number[];
}

export interface Wanted {
  readonly lanes: readonly ClaimLane[];
  /** How many tasks to lock in each lane without a run. A run gets as many as it may have. */
  readonly size: number;
  /** Load only this task, which is suspect. */
  readonly suspect?: number;
}

export function createClaimState(
  session: PostgresSession,
  now: ModelNow,
  { burst, leaseMs }: Pick<Claim, "burst" | "leaseMs">,
  seen: readonly ClaimJob[],
): ClaimState {
  const jobs = new Map(seen.map((job) => [job.name, job]));
  const lockedJobs = new Set<string>();
  const gates = new Map<string, Gate>();
  const changed = new Set<string>();
  const locked = new Set<number>();
  let turns = Number.MAX_SAFE_INTEGER / 2;
  let isFirst = true;

  /**
   * Only a transaction that has locked a capped job takes its slots. Slots that become free
   * meanwhile are not seen.
   */
  async function lockJobs(wanted: readonly ClaimLane[]): Promise<void> {
    const capped = [...new Set(wanted.map(({ job }) => job))].filter(
      (name) => jobs.get(name)?.concurrency !== null && !lockedJobs.has(name),
    );
    if (capped.length === 0) return;
    const got = session.query<{ name: string }>(
      `select name from @job where name = any($1::text[]) order by name
       for no key update ${isFirst ? "" : "skip locked"}`,
      [capped],
    );
    const rows = await session.query<ClaimJob>(
      `select j.name, j.concurrency, coalesce(sum(c.slots), 0)::bigint as slots,
         coalesce(max(c.served), 0)::bigint as served
       from @job j left join @job_counter c on c.job = j.name
       where j.name = any($1::text[]) and j.ended is null and not j.is_paused group by j.name`,
      [capped],
    );
    for (const name of capped) jobs.delete(name);
    for (const { name } of await got) lockedJobs.add(name);
    for (const job of rows) if (lockedJobs.has(job.name)) jobs.set(job.name, job);
  }

  async function lockTasks({ lanes, size, suspect }: Wanted): Promise<readonly PostgresReadyRow[]> {
    if (lanes.every(({ gate }) => gate === "") && suspect === undefined) {
      return session.query(ungatedSql, [lanes.map(({ id }) => id), size]);
    }
    const got = await queryOne<Got>(session, suspect === undefined ? gatedSql : suspectSql, [
      lanes.map(({ gate }) => gate).filter((gate) => gate !== ""),
      now.ms,
      lanes.map(({ id }) => id),
      lanes.map(({ gate }) => gate),
      ...(suspect === undefined ? [size, burst, leaseMs] : [suspect]),
    ]);
    for (const gate of got.gates) if (!gates.has(gate.name)) gates.set(gate.name, gate);
    for (const id of got.lanes) locked.add(id);
    return got.tasks;
  }

  return {
    now,
    job: (name) => jobs.get(name),
    gate: (name) => gates.get(name),
    async load(wanted) {
      // Sent together: if a job has no free slot, the locks on its tasks were unnecessary.
      const [, rows] = await Promise.all([lockJobs(wanted.lanes), lockTasks(wanted)]);
      isFirst = false;
      const usable = new Map<number, PostgresReadyRow[]>();
      for (const lane of wanted.lanes) {
        const job = jobs.get(lane.job);
        const gate = gates.get(lane.gate);
        const isGateOpen = lane.gate === "" || (gate && isOpen(gate, now.ms));
        const isUsable = isGateOpen && (lane.gate === "" || locked.has(lane.id));
        if (job && slotsLeft(job) > 0 && isUsable) usable.set(lane.id, []);
      }
      for (const row of rows) usable.get(row.lane)?.push(row);
      for (const own of usable.values()) {
        own.sort((a, b) => b.priority - a.priority || a.id - b.id);
      }
      return usable;
    },
    enter({ job: jobName, gate: name }, size, slots) {
      const job = jobs.get(jobName)!;
      jobs.set(jobName, { ...job, slots: job.slots + slots, served: turns++ });
      const gate = gates.get(name);
      if (!gate) return undefined;
      const isRun = isOwned(gate);
      gates.set(name, { ...gate, running: gate.running + size, runSlots: isRun ? slots : 0 });
      changed.add(name);
      return { delayMs: gate.delayMs, limit: isRun ? slots : gate.limit, isRun };
    },
    changedGates: () => [...changed].map((name) => gates.get(name)!),
    lockedLanes: () => [...locked],
  };
}

interface Got {
  readonly gates: readonly Gate[];
  readonly lanes: readonly number[];
  readonly tasks: readonly PostgresReadyRow[];
}

const bestTasks = (size: string) => `select ${readyColumns} from @task r
  where r.lane = u.lane and r.state = ${taskStates.ready} order by r.priority desc, r.id limit ${size}
  for no key update skip locked`;

const ungatedSql = `select t.* from unnest($1::bigint[]) as u (lane)
  cross join lateral (${bestTasks("$2::int")}) t`;

/**
 * Locks open gates that are not locked by others, their lanes, and then tasks of the locked lanes.
 */
const gatedWith = `with g as materialized (
    select ${gateColumns} from @gate
    where name = any($1::text[]) and has_room and open_from <= $2
    order by name for no key update skip locked),
  l as materialized (
    select id from @lane where gate = any(array(select name from g)) and gate <> ''
    order by id for no key update skip locked),
  u as materialized (
    select v.lane, v.gate, g."delayMs", g."limit"
    from unnest($3::bigint[], $4::text[]) as v (lane, gate) left join g on g.name = v.gate
    where v.gate = '' or v.lane in (select id from l))`;
const gatedAnswer = `select
    (select coalesce(json_agg(g), '[]') from g) as gates,
    (select coalesce(array_agg(l.id), '{}') from l) as lanes,
    (select coalesce(json_agg(t), '[]') from t) as tasks`;
/** The same as `burstLimit` of the model. */
const gatedSize = `case when u.gate = '' then $5::int
  when u."delayMs" > 0 then least($6::int, greatest(1, $7::bigint / (2 * u."delayMs")))
  when u."limit" = 1 then $6::int else $5::int end`;

const gatedSql = `${gatedWith},
  t as materialized (select b.* from u cross join lateral (${bestTasks(gatedSize)}) b)
  ${gatedAnswer}`;

const suspectSql = `${gatedWith},
  t as materialized (
    select ${readyColumns} from @task r
    where r.id = $5::bigint and r.state = ${taskStates.suspect} and r.lane in (select lane from u)
    for no key update skip locked)
  ${gatedAnswer}`;
