import type { Database } from "better-sqlite3";
import type { Gate } from "../../../gate.ts";
import { newJob, type Job } from "../../../job.ts";
import type { WakeQuery } from "../../../model/read.ts";
import type { FoundInStep } from "../../../in-steps.ts";
import type { NamePage } from "../../../names.ts";
import type { BrowseQuery, StoreNow, TaskView } from "../../../queue-store.ts";
import type { Task } from "../../../task.ts";
import { rowStatesOf, stateLists, taskStates } from "../../../row-state.ts";
import { taskColumns, toTask, type TaskRow } from "../../../slice/task-row.ts";
import { selectGates, selectJobs, toJob } from "../write/rows.ts";
import type { RawGate, RawJob } from "../write/rows.ts";
import { statement } from "../connection/statement.ts";

export const readNumber = (db: Database, name: string): number =>
  Number(statement(db, "select value from meta where name = ?").pluck().get(name) ?? 0);

const selectTasks = `select ${taskColumns} from task t join lane l on l.id = t.lane`;

export function viewTask(db: Database, id: number, now: StoreNow): TaskView | undefined {
  const row = statement(db, `${selectTasks} where t.id = ?`).get(id) as TaskRow | undefined;
  if (!row) return undefined;
  const task = toTask(row);
  return {
    now,
    task,
    gate: readGate(db, task.gate),
    job: readJob(db, task.job) ?? newJob(task.job, now.ms),
    worker:
      task.state === "running"
        ? (statement(db, "select worker from claim where token = ?").pluck().get(task.token) as
            | string
            | undefined)
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

export const readJobs = (db: Database, page: NamePage): readonly Job[] =>
  (
    statement(db, `${selectJobs} where name > @after order by name limit @limit`).all(
      page,
    ) as RawJob[]
  ).map(toJob);

/**
 * Gates that have tasks, among the next `limit` gates. `last`: where to continue; undefined: there
 * are no more gates.
 */
export function readGates(db: Database, { after, limit }: NamePage): FoundInStep<Gate, string> {
  const raw = statement(db, `${selectGates} where name > @after order by name limit @limit`).all({
    after,
    limit,
  }) as RawGate[];
  const hasTasks = statement(db, "select 1 from lane where gate = ? limit 1");
  const gates = raw.filter(({ name }) => hasTasks.get(name) !== undefined).map(toGate);
  return { found: gates, last: raw.length < limit ? undefined : raw.at(-1)!.name };
}

export function readJob(db: Database, name: string) {
  const raw = statement(db, `${selectJobs} where name = ?`).get(name) as RawJob | undefined;
  return raw && toJob(raw);
}

/** The matching ones among the next `rows` tasks, by id. */
export function browseStep(
  db: Database,
  query: BrowseQuery,
  rows: number,
): FoundInStep<Task, number> {
  const where = ["true"];
  if (query.states) where.push(`t.state in (${query.states.flatMap(rowStatesOf).join(", ")})`);
  for (const name of ["kind", "job", "gate"] as const) {
    if (query[name] !== undefined) where.push(`l.${name} = @${name}`);
  }
  if (query.keyPrefix !== undefined)
    where.push("substr(t.key, 1, length(@keyPrefix)) = @keyPrefix");
  if (query.text !== undefined) where.push("instr(t.payload, @text) > 0");
  const { afterId } = query;
  const lastId = statement(db, "select id from task where id > ? order by id limit 1 offset ?")
    .pluck()
    .get(afterId, rows - 1) as number | undefined;
  const found = statement(
    db,
    `${selectTasks} where t.id > @afterId and t.id <= @lastId and ${where.join(" and ")}
     order by t.id limit @limit`,
  ).all({
    kind: "",
    job: "",
    gate: "",
    keyPrefix: "",
    text: "",
    ...query,
    states: "",
    lastId: lastId ?? Number.MAX_SAFE_INTEGER,
  });
  return { found: (found as TaskRow[]).map(toTask), last: lastId };
}

export function wakeInMs(db: Database, waker: WakeQuery, now: StoreNow): number | undefined {
  if (hasClaimable(db, waker, now)) return 0;
  const row = statement(
    db,
    `select
      (select min(due_at) from task where state in ${stateLists.dueLater} and due_at > @wallMs) as due,
      (select min(open_from) from gate where is_open = 0 and has_room = 1
         and open_from > @nowMs) as opens,
      (select min(expires_at) from claim where open > 0 and expires_at > @nowMs) as expires,
      -- Leases that were extended since outlive what their claim says.
      (select min(task.expires_at) from claim join task on task.token = claim.token and state = ${taskStates.running}
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

/**
 * True if any worker could claim a task of these kinds now: ready, or due and not yet made ready.
 */
function hasClaimable(db: Database, { kinds, worker }: WakeQuery, now: StoreNow): boolean {
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
     where task.state in ${stateLists.dueLater} and task.due_at <= @wallMs and task.is_suspect = 0
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
       where task.state in ${stateLists.dueLater} and task.due_at <= @wallMs and task.is_suspect = 1
         and (lane.is_open = 1 or (${isOpening})) and ${isWanted}`,
    );
  }
  return ways.some((way) => statement(db, `select 1 from ${way} limit 1`).get(values));
}

const holdsAny = (db: Database, worker: string): boolean =>
  statement(db, "select 1 from claim where worker = ? and open > 0 limit 1").get(worker) !==
  undefined;
