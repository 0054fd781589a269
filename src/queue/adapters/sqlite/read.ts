import type { Database } from "better-sqlite3";
import type { Gate } from "../../gate.ts";
import { newJob } from "../../job.ts";
import type { Waker } from "../../model/read.ts";
import type { BrowseQuery, Lane, Overview, StoreNow, TaskView } from "../../queue-store.ts";
import type { Task, TaskState } from "../../task.ts";
import { selectGates, selectJobs, selectLanes, toJob } from "./rows.ts";
import type { RawGate, RawJob, RawLane } from "./rows.ts";
import { statement } from "./statement.ts";
import { taskStates, toTask, type TaskRow } from "./task-row.ts";

/** Reads see what is committed; what came due since the last claim is counted on the way. */
export function overview(db: Database, now: StoreNow): Overview {
  const lanes = (statement(db, selectLanes).all() as RawLane[]).map((lane) =>
    toLane(db, lane, now),
  );
  const late = promotedSince(db, now);
  const waits = new Map<string, Map<number, number>>();
  for (const { kind, bucket, count } of statement(db, "select * from wait").all() as WaitRow[]) {
    waits.set(kind, (waits.get(kind) ?? new Map<number, number>()).set(bucket, count));
  }
  return {
    now,
    lanes: lanes.map(({ id, lane }) => withLate(lane, late.get(id))),
    gates: (
      statement(db, `${selectGates} where name in (select gate from lane)`).all() as RawGate[]
    ).map(toGate),
    jobs: (statement(db, selectJobs).all() as RawJob[]).map(toJob),
    waits,
    raises: { raised: readNumber(db, "raised"), unchanged: readNumber(db, "unchanged") },
  };
}

interface WaitRow {
  readonly kind: string;
  readonly bucket: number;
  readonly count: number;
}

function toLane(
  db: Database,
  raw: RawLane,
  now: StoreNow,
): { readonly id: number; readonly lane: Lane } {
  const { id, kind, job, gate, scheduled, backoff, running, done, skipped, failed } = raw;
  const ready = raw.ready + raw.suspect;
  const counts = { ready, scheduled, backoff, running, done, skipped, failed };
  return {
    id,
    lane: {
      kind,
      job,
      gate,
      ...counts,
      oldestReadyAtMs: ready === 0 ? 0 : oldestReady(db, raw),
      oldestScheduledAtMs: scheduled === 0 ? 0 : oldestWaiting(db, id, taskStates.scheduled, now),
      oldestBackoffAtMs: backoff === 0 ? 0 : oldestWaiting(db, id, taskStates.backoff, now),
    },
  };
}

/** Ids rise with creation, so each priority's first one is its oldest: one step per priority. */
function oldestReady(db: Database, { id, suspect }: RawLane): number {
  const ready = statement(
    db,
    `with recursive step (priority, id) as (
       select * from (select priority, id from task where lane = @lane and state = 0
         order by priority desc, id limit 1)
       union all
       select (select priority from task where lane = @lane and state = 0
           and priority < step.priority order by priority desc, id limit 1),
         (select id from task where lane = @lane and state = 0
           and priority < step.priority order by priority desc, id limit 1)
       from step where step.id is not null)
     select created_at from task where id = (select min(id) from step)`,
  )
    .pluck()
    .get({ lane: id }) as number | undefined;
  if (suspect === 0) return ready ?? 0;
  const oldest = statement(db, "select min(created_at) from task where lane = ? and state = 3")
    .pluck()
    .get(id) as number;
  return Math.min(oldest, ready ?? oldest);
}

const oldestWaiting = (db: Database, lane: number, state: number, { wallMs }: StoreNow): number =>
  Number(
    statement(
      db,
      `select created_at from task
       where lane = ? and state = ? and state in (1, 2) and due_at > ? order by id limit 1`,
    )
      .pluck()
      .get(lane, state, wallMs) ?? 0,
  );

interface LateRow {
  readonly lane: number;
  readonly scheduled: number;
  readonly backoff: number;
  readonly oldest: number;
}

/** Due since, but not yet made ready by a claim. */
function promotedSince(db: Database, now: StoreNow): Map<number, LateRow> {
  const rows = statement(
    db,
    `select lane, sum(state = 1) as scheduled, sum(state = 2) as backoff,
       min(created_at) as oldest
     from task indexed by task_due where state in (1, 2) and due_at <= ? group by lane`,
  ).all(now.wallMs) as LateRow[];
  return new Map(rows.map((row) => [row.lane, row]));
}

function withLate(lane: Lane, late: LateRow | undefined): Lane {
  if (!late) return lane;
  const scheduled = lane.scheduled - late.scheduled;
  const backoff = lane.backoff - late.backoff;
  return {
    ...lane,
    ready: lane.ready + late.scheduled + late.backoff,
    scheduled,
    backoff,
    oldestReadyAtMs: lane.ready === 0 ? late.oldest : Math.min(lane.oldestReadyAtMs, late.oldest),
    oldestScheduledAtMs: scheduled === 0 ? 0 : lane.oldestScheduledAtMs,
    oldestBackoffAtMs: backoff === 0 ? 0 : lane.oldestBackoffAtMs,
  };
}

export const readNumber = (db: Database, name: string): number =>
  Number(statement(db, "select value from meta where name = ?").pluck().get(name) ?? 0);

type JoinedRow = TaskRow & { readonly kind: string; readonly job: string; readonly gate: string };
const selectTasks = `select task.*, lane.kind, lane.job, lane.gate
  from task join lane on lane.id = task.lane`;

export function viewTask(db: Database, id: number, now: StoreNow): TaskView | undefined {
  const row = statement(db, `${selectTasks} where task.id = ?`).get(id) as JoinedRow | undefined;
  if (!row) return undefined;
  const task = toTask(row, row);
  return {
    now,
    task,
    gate: readGate(db, task.gate),
    job: readJob(db, task.job) ?? newJob(task.job, now.ms),
    worker:
      task.state === "running"
        ? (statement(db, "select worker from claim where token = ?").pluck().get(task.token) as
            string | undefined)
        : undefined,
  };
}

export function readGate(db: Database, name: string) {
  const raw = statement(db, `${selectGates} where name = ?`).get(name) as RawGate | undefined;
  return raw && toGate(raw);
}

const toGate = (raw: RawGate): Gate => ({
  name: raw.name,
  delayMs: raw.delayMs,
  limit: raw.limit,
  blockedUntilMs: raw.blockedUntilMs,
  opensAtMs: raw.opensAtMs,
  running: raw.running,
  runSlots: raw.runSlots,
});

export function readJob(db: Database, name: string) {
  const raw = statement(db, `${selectJobs} where name = ?`).get(name) as RawJob | undefined;
  return raw && toJob(raw);
}

export function browse(db: Database, query: BrowseQuery): readonly Task[] {
  const where = ["task.id > @afterId"];
  if (query.states) where.push(`task.state in (${query.states.flatMap(statesOf).join(", ")})`);
  for (const name of ["kind", "job", "gate"] as const) {
    if (query[name] !== undefined) where.push(`lane.${name} = @${name}`);
  }
  if (query.keyPrefix !== undefined)
    where.push("substr(task.key, 1, length(@keyPrefix)) = @keyPrefix");
  if (query.text !== undefined) where.push("instr(task.payload, @text) > 0");
  const rows = statement(
    db,
    `${selectTasks} where ${where.join(" and ")} order by task.id limit @limit`,
  ).all({ kind: "", job: "", gate: "", keyPrefix: "", text: "", ...query, states: "" });
  return (rows as JoinedRow[]).map((row) => toTask(row, row));
}

const statesOf = (state: TaskState): readonly number[] =>
  state === "pending"
    ? [taskStates.ready, taskStates.scheduled, taskStates.backoff, taskStates.suspect]
    : [taskStates[state]];

export function wakeInMs(db: Database, waker: Waker, now: StoreNow): number | undefined {
  if (hasClaimable(db, waker, now)) return 0;
  const row = statement(
    db,
    `select
      (select min(due_at) from task where state in (1, 2) and due_at > @wallMs) as due,
      (select min(open_from) from gate where is_open = 0 and has_room = 1
         and open_from > @nowMs) as opens,
      (select min(expires_at) from claim where open > 0 and expires_at > @nowMs) as expires,
      -- Leases that were extended since outlive what their claim says.
      (select min(task.expires_at) from claim join task on task.token = claim.token and state = 4
         where open > 0 and claim.expires_at <= @nowMs) as extended`,
  ).get({ nowMs: now.ms, wallMs: now.wallMs }) as Record<string, number | null>;
  const inMs = (atMs: number | null | undefined, nowMs: number) => (atMs ?? Infinity) - nowMs;
  const best = Math.min(
    inMs(row["due"], now.wallMs),
    inMs(row["opens"], now.ms),
    inMs(row["expires"], now.ms),
    inMs(row["extended"], now.ms),
  );
  return best === Infinity ? undefined : Math.max(0, best);
}

/** Something of these kinds that any worker could have now: ready, or due and not yet made so. */
function hasClaimable(db: Database, { kinds, worker }: Waker, now: StoreNow): boolean {
  const isWanted = `lane.kind in (select value from json_each(@kinds))
    and job.ended is null and job.is_paused = 0
    and (job.concurrency is null or job.slots < job.concurrency)`;
  const isOpening = "gate.is_open = 0 and gate.has_room = 1 and gate.open_from <= @nowMs";
  const ways = [
    "turn where is_claimable = 1 and kind in (select value from json_each(@kinds))",
    `gate cross join lane on lane.gate = gate.name join job on job.name = lane.job
     where ${isOpening} and lane.ready > 0 and ${isWanted}`,
    `task indexed by task_due join lane on lane.id = task.lane join job on job.name = lane.job
       left join gate on gate.name = lane.gate
     where task.state in (1, 2) and task.due_at <= @wallMs and task.is_suspect = 0
       and (lane.is_open = 1 or (${isOpening})) and ${isWanted}`,
  ];
  const values = { kinds: JSON.stringify(kinds), nowMs: now.ms, wallMs: now.wallMs };
  if (worker !== undefined && !holdsAny(db, worker)) {
    ways.push(
      `lane indexed by lane_suspect join job on job.name = lane.job
       where lane.is_open = 1 and lane.suspects > 0 and ${isWanted}`,
      `gate cross join lane on lane.gate = gate.name join job on job.name = lane.job
       where ${isOpening} and lane.suspects > 0 and ${isWanted}`,
      `task indexed by task_due join lane on lane.id = task.lane join job on job.name = lane.job
         left join gate on gate.name = lane.gate
       where task.state in (1, 2) and task.due_at <= @wallMs and task.is_suspect = 1
         and (lane.is_open = 1 or (${isOpening})) and ${isWanted}`,
    );
  }
  return ways.some((way) => statement(db, `select 1 from ${way} limit 1`).get(values));
}

const holdsAny = (db: Database, worker: string): boolean =>
  statement(db, "select 1 from claim where worker = ? and open > 0 limit 1").get(worker) !==
  undefined;
