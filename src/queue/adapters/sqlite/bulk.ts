import { gateDefaults } from "../../gate.ts";
import type { Changed, FinishedFilter, ForgetKeys, PruneLog } from "../../operation.ts";
import type { Purge, Retry } from "../../operation.ts";
import { isEmpty } from "./rows.ts";
import { statement } from "./statement.ts";
import { taskStates, type TaskRow } from "./task-row.ts";
import { move, stateName, type Unit } from "./unit.ts";

type FinishedRow = Pick<TaskRow, "id" | "lane" | "state">;

/** Dead letters live again: all attempts anew, their history kept, their job open again. */
export function retry(unit: Unit, { filter, rowsMax }: Retry): Changed {
  const { found, hasMore } = finishedTasks(unit, filter, rowsMax);
  const { db, rows, now, meta } = unit;
  const revive = statement(
    db,
    `update task set state = 0, used = 0, is_suspect = 0, due_at = ?, result = null,
       finished_at = 0 where id = ?`,
  );
  for (const task of found) {
    revive.run(now.wallMs, task.id);
    const lane = rows.lane(task.lane);
    move(unit, lane, stateName(task.state), "ready");
    const job = rows.jobForWrite(lane.job);
    job.ended = null;
    job.endedAtMs = 0;
  }
  if (found.length > 0) meta.readyDueMs = Math.max(meta.readyDueMs, now.wallMs);
  return { changed: found.length, hasMore };
}

export function purge(unit: Unit, { filter, rowsMax, keepKeys }: Purge): Changed {
  const { found, hasMore } = finishedTasks(unit, filter, rowsMax);
  const { rows, sql } = unit;
  const lanes = new Set<number>();
  if (keepKeys && found.length > 0) unit.hasKeptKeys = true;
  for (const task of found) {
    sql.log.run(task.id);
    if (keepKeys) sql.keepKey.run(task.id);
    sql.remove.run(task.id);
    // The job goes on counting what is purged, so only the lane's counter moves.
    rows.laneForWrite(task.lane)[stateName(task.state)] -= 1;
    lanes.add(task.lane);
  }
  countKept(unit, "log_entries", found.length);
  if (keepKeys) countKept(unit, "kept_keys", found.length);
  dropEmpty(unit, lanes);
  return { changed: found.length, hasMore };
}

/** Keeps the number of rows of a table, because counting the rows would read all of them. */
function countKept({ db }: Unit, name: "log_entries" | "kept_keys", by: number): void {
  statement(
    db,
    `insert into meta values (?, ?)
     on conflict (name) do update set value = value + excluded.value`,
  ).run(name, by);
}

export function forgetKeys(unit: Unit, { filter, rowsMax }: ForgetKeys): Changed {
  const { db } = unit;
  const { where, values } = conditions(filter, { task: "kept_key", lane: "kept_key" });
  const states = filter.states.map((state) => taskStates[state]).join(", ");
  const keys = statement(
    db,
    `select job, gate, key from kept_key where ${["true", ...where].join(" and ")}
       and state in (${states}) order by finished_at, id limit @limit`,
  )
    .raw()
    .all({ ...values, limit: rowsMax + 1 }) as [job: string, gate: string, key: string][];
  const forget = statement(db, "delete from kept_key where job = ? and gate = ? and key = ?");
  for (const key of keys.slice(0, rowsMax)) forget.run(key);
  countKept(unit, "kept_keys", -Math.min(keys.length, rowsMax));
  return { changed: Math.min(keys.length, rowsMax), hasMore: keys.length > rowsMax };
}

export function pruneLog(unit: Unit, { finishedBeforeMs, rowsMax }: PruneLog): Changed {
  const { db } = unit;
  const { changes } = statement(
    db,
    `delete from log where id in (
       select id from log where finished_at < ? order by finished_at, id limit ?)`,
  ).run(finishedBeforeMs, rowsMax);
  countKept(unit, "log_entries", -changes);
  const more = statement(db, "select 1 from log where finished_at < ? limit 1");
  return { changed: changes, hasMore: more.get(finishedBeforeMs) !== undefined };
}

/** Lanes go with their last task; then jobs that have ended and gates that say nothing. */
function dropEmpty(unit: Unit, lanes: ReadonlySet<number>): void {
  const { db, rows, now } = unit;
  for (const id of lanes) {
    const lane = rows.lane(id);
    if (isEmpty(lane)) rows.dropLane(lane);
  }
  unit.flush();
  const jobs = `select name from job
    where ended is not null and not exists (select 1 from lane where lane.job = job.name)`;
  for (const name of statement(db, jobs).pluck().all() as string[]) rows.dropJob(name);
  const gates = `select name from gate
    where delay_ms = @delayMs and capacity = @limit and running = 0 and open_from <= @nowMs
      and not exists (select 1 from lane where lane.gate = gate.name)`;
  const idle = statement(db, gates).pluck();
  for (const name of idle.all({ ...gateDefaults, nowMs: now.ms }) as string[]) rows.dropGate(name);
}

/** By state, then oldest first, as the model takes them. */
function finishedTasks(unit: Unit, filter: FinishedFilter, rowsMax: number) {
  unit.flush();
  const found: FinishedRow[] = [];
  for (const state of ["done", "skipped", "failed"] as const) {
    if (!filter.states.includes(state)) continue;
    found.push(...finishedOf(unit, taskStates[state], filter, rowsMax + 1 - found.length));
  }
  return { found: found.slice(0, rowsMax), hasMore: found.length > rowsMax };
}

function finishedOf({ db }: Unit, state: number, filter: FinishedFilter, limit: number) {
  const { where, values } = conditions(filter, { task: "task", lane: "lane" });
  where.unshift("task.state = @state", "task.state >= 5");
  return statement(
    db,
    `select task.id, task.lane, task.state from task join lane on lane.id = task.lane
     where ${where.join(" and ")} order by task.finished_at, task.id limit @limit`,
  ).all({ ...values, state, limit }) as FinishedRow[];
}

/** SQL for a filter, without its states. `tables` name where the columns of task and lane are. */
function conditions(
  filter: FinishedFilter,
  tables: { readonly task: string; readonly lane: string },
) {
  const where: string[] = [];
  if (filter.ids) where.push(`${tables.task}.id in (select value from json_each(@ids))`);
  if (filter.finishedBeforeMs !== undefined) where.push(`${tables.task}.finished_at < @before`);
  for (const name of ["job", "kind", "gate"] as const) {
    if (filter[name] !== undefined) where.push(`${tables.lane}.${name} = @${name}`);
  }
  const values = {
    ids: JSON.stringify(filter.ids ?? []),
    before: filter.finishedBeforeMs ?? 0,
    job: filter.job ?? "",
    kind: filter.kind ?? "",
    gate: filter.gate ?? "",
  };
  return { where, values };
}
