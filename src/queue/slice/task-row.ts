import { portState } from "../row-state.ts";
import type { Attempt, Task } from "../task.ts";

/** The row of a task in a SQL store, with the names of its lane. */
export interface TaskRow {
  readonly id: number;
  readonly lane: number;
  readonly kind: string;
  readonly job: string;
  readonly gate: string;
  readonly key: string;
  readonly payload: string;
  readonly priority: number;
  readonly due_at: number;
  readonly created_at: number;
  readonly state: number;
  readonly token: number;
  readonly used: number;
  readonly attempts_max: number;
  /** SQLite has no booleans: 0 or 1. */
  readonly is_suspect: boolean | number;
  readonly expires_at: number;
  readonly attempts: string | null;
  readonly result: string | null;
  readonly finished_at: number;
}

/** SQL for the columns of a TaskRow, from the tables task as `t` and lane as `l`. */
export const taskColumns = `t.id, t.lane, l.kind, l.job, l.gate, t.key, t.payload, t.priority,
  t.due_at, t.created_at, t.state, t.token, t.used, t.attempts_max, t.is_suspect, t.expires_at,
  t.attempts, t.result, t.finished_at`;

/** The same without the payload, which no rule of the model reads. */
export const ruleColumns = taskColumns.replace("t.payload", "'' as payload");

export const toTask = (row: TaskRow): Task => ({
  id: row.id,
  kind: row.kind,
  job: row.job,
  gate: row.gate,
  key: row.key,
  payload: row.payload,
  priority: row.priority,
  dueAtMs: row.due_at,
  createdAtMs: row.created_at,
  state: portState(row.state),
  token: row.token,
  used: row.used,
  attemptsMax: row.attempts_max,
  isSuspect: Boolean(row.is_suspect),
  expiresAtMs: row.expires_at,
  attempts: readAttempts(row.attempts),
  result: row.result,
  finishedAtMs: row.finished_at,
});

export const readAttempts = (attempts: string | null): readonly Attempt[] =>
  attempts === null ? [] : (JSON.parse(attempts) as readonly Attempt[]);

export const writeAttempts = (attempts: readonly Attempt[]): string | null =>
  attempts.length > 0 ? JSON.stringify(attempts) : null;
