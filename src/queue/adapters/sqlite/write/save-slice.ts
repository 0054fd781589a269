import { assert } from "../../../../base/app-error.ts";
import { applyOne } from "../../../model/apply.ts";
import type { Answer } from "../../../operation.ts";
import { stateName, taskStates } from "../../../row-state.ts";
import {
  changesOf,
  type ChangedTask,
  type NewRow,
  type RemovedTask,
} from "../../../slice/changes.ts";
import type { Slice } from "../../../slice/slice.ts";
import { writeAttempts } from "../../../slice/task-row.ts";
import { loadSlice, type SliceOperation } from "./load-slice.ts";
import { isEmpty } from "./rows.ts";
import { statement } from "../connection/statement.ts";
import type { Unit } from "./unit.ts";

/** Loads the slice of an operation, lets the model apply it, and writes what changed. */
export function applyToSlice<O extends SliceOperation>(unit: Unit, operation: O): Answer<O> {
  const slice = loadSlice(unit, operation);
  const answer = applyOne(slice.draft, operation);
  saveSlice(unit, slice);
  return answer as Answer<O>;
}

export function saveSlice(unit: Unit, slice: Slice): void {
  const { rows, meta } = unit;
  const changes = changesOf(slice);
  for (const job of [...changes.newJobs, ...changes.changedJobs]) {
    Object.assign(rows.jobForWrite(job.name), job);
  }
  for (const gate of [...changes.newGates, ...changes.changedGates]) {
    Object.assign(rows.gateForWrite(gate.name), gate);
  }
  for (const one of changes.tasks) saveTask(unit, one);
  for (const one of changes.added) insertTask(unit, one);
  for (const [token, { left, expiresAtMs }] of changes.claims) {
    if (left > 0) unit.left.set(token, (unit.left.get(token) ?? 0) + left);
    if (expiresAtMs !== undefined) unit.sql.setEarliest.run(expiresAtMs, token);
  }
  meta.nextId = slice.draft.nextId;
  meta.raised += slice.draft.raises.raised;
  meta.unchanged += slice.draft.raises.unchanged;

  if (changes.removed.length > 0) removeTasks(unit, changes.removed);
  for (const { job, gate, key, id, kind, state, finishedAtMs } of changes.keptKeys) {
    unit.sql.keepKey.run(job, gate, key, id, kind, taskStates[state], finishedAtMs);
    unit.hasKeptKeys = true;
  }
  countKept(unit, "kept_keys", changes.keptKeys.length);
  for (const name of changes.removedJobs) rows.dropJob(name);
  for (const name of changes.removedGates) rows.dropGate(name);
}

function saveTask(unit: Unit, { after, from, to, lane: laneId }: ChangedTask): void {
  unit.sql.update.run(
    taskStates[to],
    after.priority,
    after.dueAtMs,
    after.used,
    after.isSuspect ? 1 : 0,
    after.expiresAtMs,
    writeAttempts(after.attempts),
    after.result,
    after.finishedAtMs,
    after.id,
  );
  if (to === "ready" || to === "suspect") noteDue(unit, after.dueAtMs);
  if (from === to && to !== "ready") return;
  const lane = unit.rows.laneForWrite(laneId);
  lane[from] -= 1;
  lane[to] += 1;
  lane.isHeadStale ||= from === "ready" || to === "ready";
}

function insertTask(unit: Unit, { task, state }: NewRow): void {
  const lane = unit.rows.laneOf(task.kind, task.job, task.gate);
  const { changes } = unit.sql.insert.run(
    task.id,
    lane.id,
    lane.scope,
    task.key,
    task.payload,
    task.priority,
    task.dueAtMs,
    task.createdAtMs,
    taskStates[state],
    task.attemptsMax,
  );
  assert(changes === 1, "the model adds only tasks that are new");
  if (state === "ready") noteDue(unit, task.dueAtMs);
  unit.rows.laneForWrite(lane.id)[state] += 1;
  lane.isHeadStale ||= state === "ready";
}

/** See `readyDueMs`. */
function noteDue({ meta, now }: Unit, dueAtMs: number): void {
  if (dueAtMs <= now.wallMs) meta.readyDueMs = Math.max(meta.readyDueMs, dueAtMs);
}

function removeTasks(unit: Unit, removed: readonly RemovedTask[]): void {
  const { rows, sql } = unit;
  const lanes = new Set<number>();
  for (const { row, entry } of removed) {
    sql.remove.run(row.id);
    sql.log.run({ ...entry, state: row.state, attempts: writeAttempts(entry.attempts) });
    rows.laneForWrite(row.lane)[stateName(row.state)] -= 1;
    lanes.add(row.lane);
  }
  countKept(unit, "log_entries", removed.length);
  for (const id of lanes) {
    const lane = rows.lane(id);
    if (isEmpty(lane)) rows.dropLane(lane);
  }
}

/** Keeps the number of rows of a table, because counting the rows would read all of them. */
export function countKept({ db }: Unit, name: "log_entries" | "kept_keys", by: number): void {
  if (by === 0) return;
  statement(
    db,
    `insert into meta values (?, ?)
     on conflict (name) do update set value = value + excluded.value`,
  ).run(name, by);
}
