import { AppError } from "../../../base/app-error.ts";
import type { Add, Added, Raised, RaiseOne } from "../../operation.ts";
import type { LeaseRef, NewTask } from "../../task.ts";
import { isEmpty, type JobRow, type LaneRow } from "./rows.ts";
import { taskStates, type TaskRow } from "./task-row.ts";
import { statement } from "./statement.ts";
import { insertRows, type Unit } from "./unit.ts";

export function add(unit: Unit, { tasks, by }: Add): readonly Added[] {
  checkBound(unit, tasks);
  const answers: Added[] = [];
  for (let from = 0; from < tasks.length; from += insertRows) {
    const some = tasks.slice(from, from + insertRows);
    const firstId = unit.meta.nextId;
    if (some.length === insertRows && addAllNew(unit, some)) {
      for (let at = 0; at < insertRows; at++) answers.push({ status: "added", id: firstId + at });
    } else {
      for (const task of some) answers.push(addOne(unit, task, by));
    }
  }
  return answers;
}

/**
 * One statement for several tasks, which is quicker if all are new and no job refuses any. If not
 * it is undone and answers false: then they are added one by one.
 */
function addAllNew(unit: Unit, tasks: readonly NewTask[]): boolean {
  const { rows, db, now, meta } = unit;
  if (unit.hasKeptKeys && isAnyKept(unit, tasks)) return false;
  const places: Place[] = [];
  const values: unknown[] = [];
  for (const task of tasks) {
    const job = rows.job(task.job);
    if (job && mayRefuse(job)) return false;
    const place = placeOf(unit, task, job);
    const { id: laneId, scope } = place.lane;
    const id = meta.nextId + places.length;
    values.push(id, laneId, scope, task.key, task.payload, task.priority, task.dueAtMs);
    values.push(now.ms, taskStates[place.state], task.attemptsMax);
    places.push(place);
  }
  if (unit.sql.insertAll.run(values).changes < tasks.length) {
    // Nothing has such ids but what came in just now.
    statement(db, "delete from task where id >= ?").run(meta.nextId);
    return false;
  }
  places.forEach(({ lane, state }, index) => countNew(unit, lane, state, tasks[index]!));
  return true;
}

function isAnyKept({ rows, sql }: Unit, tasks: readonly NewTask[]): boolean {
  const names = tasks.flatMap(({ job, gate, key }) => [job, rows.job(job)?.gate || gate, key]);
  return sql.findAllKept.get(names) !== undefined;
}

/** Where a new task belongs: its lane, which is made if need be, and which kind of pending it is. */
interface Place {
  readonly lane: LaneRow;
  readonly state: "ready" | "scheduled";
}

function placeOf({ rows, now }: Unit, task: NewTask, job: JobRow | undefined): Place {
  const gate = job && job.gate !== "" ? job.gate : task.gate;
  if (gate !== "" && !rows.gate(gate)) rows.gateForWrite(gate);
  const state = task.dueAtMs > now.wallMs ? "scheduled" : "ready";
  return { lane: rows.laneOf(task.kind, task.job, gate), state };
}

function addOne(unit: Unit, wanted: NewTask, by: LeaseRef | undefined): Added {
  const { rows, sql, now, meta } = unit;
  const job = rows.job(wanted.job);
  const gate = job && job.gate !== "" ? job.gate : wanted.gate;
  const keptId = unit.hasKeptKeys
    ? (sql.findKept.get(wanted.job, gate, wanted.key) as number | undefined)
    : undefined;
  if (keptId !== undefined) {
    meta.unchanged += 1; // as for a task that has finished, see raiseTask
    return { status: "duplicate", id: keptId };
  }
  if (job && mayRefuse(job)) {
    const known = findTask(unit, { ...wanted, gate });
    if (known) return duplicate(unit, known, wanted.priority);
    if (job.ended !== null || (job.isSealed && !isOwnTask(unit, by, job.name))) {
      return { status: "closed" };
    }
    if (job.budget !== null && job.added >= job.budget) {
      rows.jobForWrite(job.name).overBudget += 1;
      return { status: "over_budget" };
    }
  }
  const { lane, state } = placeOf(unit, wanted, job);
  const id = meta.nextId;
  const { changes } = sql.insert.run(
    id,
    lane.id,
    lane.scope,
    wanted.key,
    wanted.payload,
    wanted.priority,
    wanted.dueAtMs,
    now.ms,
    taskStates[state],
    wanted.attemptsMax,
  );
  if (changes === 0) {
    // Known under another kind: the lane that was made for it stays empty.
    if (isEmpty(lane)) rows.dropLane(lane);
    return duplicate(unit, findTask(unit, { ...wanted, gate })!, wanted.priority);
  }
  countNew(unit, lane, state, wanted);
  return { status: "added", id };
}

function countNew(unit: Unit, lane: LaneRow, state: Place["state"], task: NewTask) {
  const { rows, meta } = unit;
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
  // Younger than all others: it is the best only where its priority is higher.
  if (!lane.isHeadStale && (lane.ready === 0 || task.priority > lane.top)) {
    lane.top = task.priority;
    lane.head = id;
  }
  lane.ready += 1;
}

const mayRefuse = (job: JobRow) => job.ended !== null || job.isSealed || job.budget !== null;

function duplicate(unit: Unit, known: TaskRow, priority: number): Added {
  raiseTask(unit, known, priority);
  return { status: "duplicate", id: known.id };
}

export const raise = (unit: Unit, raises: readonly RaiseOne[]): readonly Raised[] =>
  raises.map((one) => {
    // As in add: a task of a bound job is named without its gate.
    const gate = one.gate === "" ? (unit.rows.job(one.job)?.gate ?? "") : one.gate;
    const task = findTask(unit, { ...one, gate });
    return task ? raiseTask(unit, task, one.priority) : "absent";
  });

function raiseTask({ rows, sql, meta }: Unit, task: TaskRow, priority: number): Raised {
  if (task.state >= taskStates.running || task.priority >= priority) {
    meta.unchanged += 1;
    return "unchanged";
  }
  meta.raised += 1;
  sql.setPriority.run(priority, task.id);
  if (task.state === taskStates.ready) rows.laneForWrite(task.lane).isHeadStale = true;
  return "raised";
}

function findTask(
  { rows, sql }: Unit,
  { job, gate, key }: Pick<NewTask, "job" | "gate" | "key">,
): TaskRow | undefined {
  const scope = rows.scopeOf(job, gate);
  return scope === undefined ? undefined : (sql.find.get(scope, key) as TaskRow | undefined);
}

/** Refuses before anything is written, so that a refused operation changes nothing. */
export function checkBound({ rows }: Unit, tasks: readonly NewTask[]): void {
  const gates = new Map<string, string>();
  for (const task of tasks) {
    let gate = gates.get(task.job);
    if (gate === undefined) gates.set(task.job, (gate = rows.job(task.job)?.gate ?? ""));
    if (gate === "" || task.gate === "" || task.gate === gate) continue;
    throw new AppError(
      "invalid",
      "job_bound_to_gate",
      `job "${task.job}" is bound to the gate "${gate}", but task "${task.key}" names the gate ` +
        `"${task.gate}": leave the gate out, or add the task to another job`,
    );
  }
}

function isOwnTask({ rows, sql }: Unit, by: LeaseRef | undefined, job: string): boolean {
  const held = by && (sql.readHeld.get(by.id, by.token) as TaskRow | undefined);
  return held !== undefined && rows.lane(held.lane).job === job;
}
