import { stateLists, stateName, taskStates } from "../../../row-state.ts";
import type { TaskRow } from "../../../slice/task-row.ts";
import { statement } from "../connection/statement.ts";
import { move, type Unit } from "../write/unit.ts";

/** The most rows of one promotion, so that a claim stays short. */
const promoteRowsMax = 1_000;

/**
 * Makes due tasks ready and opens the gates whose time has come, up to a limit. The rest is left to
 * the next claim, which `wakeInMs` announces. Reverts promotions if the wall clock went back behind
 * a due time.
 */
export function promote(unit: Unit): void {
  const { db, rows, sql, now, meta } = unit;
  if (now.wallMs < meta.readyDueMs) demote(unit);

  const due = statement(
    db,
    `select id, lane, state, due_at, is_suspect from task
     where state in ${stateLists.dueLater} and due_at <= ? order by due_at, id limit ?`,
  ).all(now.wallMs, promoteRowsMax) as TaskRow[];
  for (const task of due) {
    const to = task.is_suspect === 1 ? "suspect" : "ready";
    sql.setState.run(taskStates[to], task.id);
    move(unit, rows.lane(task.lane), stateName(task.state), to);
    meta.readyDueMs = Math.max(meta.readyDueMs, task.due_at);
  }
  const gates = statement(
    db,
    `select name from gate where is_open = 0 and has_room = 1 and open_from <= ? limit ?`,
  )
    .pluck()
    .all(now.ms, promoteRowsMax) as string[];
  for (const name of gates) rows.gateForWrite(name);
  if (due.length > 0 || gates.length > 0) unit.flush();
}

function demote(unit: Unit): void {
  const { db, rows, sql, now, meta } = unit;
  const early = statement(
    db,
    `select id, lane, state, attempts from task where state in ${stateLists.dueNow} and due_at > ?`,
  ).all(now.wallMs) as TaskRow[];
  for (const task of early) {
    const to = task.attempts === null ? "scheduled" : "backoff";
    sql.setState.run(taskStates[to], task.id);
    move(unit, rows.lane(task.lane), stateName(task.state), to);
  }
  meta.readyDueMs = now.wallMs;
  unit.flush();
}
