import { checkBound } from "../../../model/add.ts";
import type { Add, Added } from "../../../operation.ts";
import { taskStates } from "../../../row-state.ts";
import type { NewTask } from "../../../task.ts";
import { isEmpty, type JobRow, type SqliteLaneRow } from "./rows.ts";
import { applyToSlice } from "./save-slice.ts";
import { statement } from "../connection/statement.ts";
import { insertRows, type Unit } from "./unit.ts";

/** SQL inserts new tasks of open jobs, several at a time; the model adds all others. */
export function add(unit: Unit, { tasks, by }: Add): readonly Added[] {
  checkBound((job) => unit.rows.job(job), tasks);
  const answers: Added[] = [];
  for (let from = 0; from < tasks.length; from += insertRows) {
    const some = tasks.slice(from, from + insertRows);
    const firstId = unit.meta.nextId;
    if (addNew(unit, some)) {
      for (let at = 0; at < some.length; at++) answers.push({ status: "added", id: firstId + at });
    } else answers.push(...applyToSlice(unit, { op: "add", tasks: some, ...(by && { by }) }));
  }
  return answers;
}

/** Returns false if a task may be refused or already exists: then nothing was changed. */
function addNew(unit: Unit, tasks: readonly NewTask[]): boolean {
  const { rows, db, meta } = unit;
  for (const task of tasks) {
    const job = rows.job(task.job);
    if (job && mayRefuse(job)) return false;
  }
  if (unit.hasKeptKeys && isAnyKept(unit, tasks)) return false;
  const targets = tasks.map((task) => targetOf(unit, task));
  if (insertAll(unit, tasks, targets) < tasks.length) {
    // Only the rows that were just inserted have these ids.
    statement(db, "delete from task where id >= ?").run(meta.nextId);
    for (const { lane } of targets) if (isEmpty(lane)) rows.dropLane(lane);
    return false;
  }
  targets.forEach((target, index) => countNew(unit, target, tasks[index]!));
  return true;
}

const mayRefuse = (job: JobRow) => job.ended !== null || job.isSealed || job.budget !== null;

function isAnyKept({ rows, sql }: Unit, tasks: readonly NewTask[]): boolean {
  const names = tasks.map(({ job, gate, key }) => [job, rows.job(job)?.gate || gate, key]);
  return names.length === insertRows
    ? sql.findAllKept.get(names.flat()) !== undefined
    : names.some((name) => sql.findKept.get(name) !== undefined);
}

/** The lane of a new task, created if needed, and its state. */
interface Target {
  readonly lane: SqliteLaneRow;
  readonly state: "ready" | "scheduled";
}

function targetOf({ rows, now }: Unit, task: NewTask): Target {
  const gate = rows.job(task.job)?.gate || task.gate;
  if (gate !== "" && !rows.gate(gate)) rows.gateForWrite(gate);
  const state = task.dueAtMs > now.wallMs ? "scheduled" : "ready";
  return { lane: rows.laneOf(task.kind, task.job, gate), state };
}

/** Returns the number of inserted tasks: those with a known key are not inserted. */
function insertAll(
  { sql, now, meta }: Unit,
  tasks: readonly NewTask[],
  targets: readonly Target[],
): number {
  const isWhole = tasks.length === insertRows;
  const values: unknown[] = [];
  let inserted = 0;
  for (const [index, task] of tasks.entries()) {
    const { lane, state } = targets[index]!;
    values.push(meta.nextId + index, lane.id, lane.scope, task.key, task.payload, task.priority);
    values.push(task.dueAtMs, now.ms, taskStates[state], task.attemptsMax);
    if (!isWhole) inserted += sql.insert.run(values.splice(0)).changes;
  }
  return isWhole ? sql.insertAll.run(values).changes : inserted;
}

function countNew({ rows, meta }: Unit, { lane, state }: Target, task: NewTask): void {
  const id = meta.nextId++;
  const job = rows.jobForWrite(task.job);
  job.added += 1;
  job.pending += 1;
  rows.laneForWrite(lane.id);
  if (state !== "ready") {
    lane.scheduled += 1;
    return;
  }
  meta.readyDueMs = Math.max(meta.readyDueMs, task.dueAtMs);
  // The new task is the newest of its lane, so it is the best only if its priority is higher.
  if (!lane.isHeadStale && (lane.ready === 0 || task.priority > lane.top)) {
    lane.top = task.priority;
    lane.head = id;
  }
  lane.ready += 1;
}
