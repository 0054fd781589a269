import type { Attempt, Task, TaskState } from "../../task.ts";

/** The states of a task in its row; the first four are all "pending". */
export const taskStates = {
  ready: 0,
  scheduled: 1,
  backoff: 2,
  suspect: 3,
  running: 4,
  done: 5,
  skipped: 6,
  failed: 7,
} as const;
export type StateName = keyof typeof taskStates;

export const stateNames = Object.keys(taskStates) as readonly StateName[];
export const stateName = (state: number): StateName => stateNames[state]!;

/** A task's row with the names of its lane. */
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
  readonly is_suspect: boolean;
  readonly expires_at: number;
  readonly attempts: string | null;
  readonly result: string | null;
  readonly finished_at: number;
}

/** Of `task` and `lane` as t and l. */
export const taskColumns = `t.id, t.lane, l.kind, l.job, l.gate, t.key, t.payload, t.priority,
  t.due_at, t.created_at, t.state, t.token, t.used, t.attempts_max, t.is_suspect, t.expires_at,
  t.attempts, t.result, t.finished_at`;

export const portState = (state: number): TaskState => {
  switch (state) {
    case taskStates.running:
      return "running";
    case taskStates.done:
      return "done";
    case taskStates.skipped:
      return "skipped";
    case taskStates.failed:
      return "failed";
    default:
      return "pending";
  }
};

/** The state a task has in its row: which of the four, when it is pending. */
export function rowState(
  task: Pick<Task, "state" | "dueAtMs" | "attempts" | "isSuspect">,
  wallMs: number,
): StateName {
  if (task.state !== "pending") return task.state;
  if (task.dueAtMs > wallMs) return task.attempts.length > 0 ? "backoff" : "scheduled";
  return task.isSuspect ? "suspect" : "ready";
}

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
  isSuspect: row.is_suspect,
  expiresAtMs: row.expires_at,
  attempts: row.attempts === null ? [] : (JSON.parse(row.attempts) as readonly Attempt[]),
  result: row.result,
  finishedAtMs: row.finished_at,
});
