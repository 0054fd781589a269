import type { Attempt, Task, TaskState } from "../../task.ts";

/** The states of a task in the file; the first four are all "pending". */
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

export interface TaskRow {
  readonly id: number;
  readonly lane: number;
  readonly scope: number;
  readonly key: string;
  readonly payload: string;
  readonly priority: number;
  readonly due_at: number;
  readonly created_at: number;
  readonly state: number;
  readonly token: number;
  readonly used: number;
  readonly attempts_max: number;
  readonly is_suspect: number;
  readonly expires_at: number;
  readonly attempts: string | null;
  readonly result: string | null;
  readonly finished_at: number;
}

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

/** Which of the four pending states a task is in. */
export function pendingState(
  task: { readonly dueAtMs: number; readonly hasRun: boolean; readonly isSuspect: boolean },
  wallMs: number,
): "ready" | "scheduled" | "backoff" | "suspect" {
  if (task.dueAtMs > wallMs) return task.hasRun ? "backoff" : "scheduled";
  return task.isSuspect ? "suspect" : "ready";
}

export function toTask(
  row: TaskRow,
  { kind, job, gate }: { readonly kind: string; readonly job: string; readonly gate: string },
): Task {
  return {
    id: row.id,
    kind,
    job,
    gate,
    key: row.key,
    payload: row.payload,
    priority: row.priority,
    dueAtMs: row.due_at,
    createdAtMs: row.created_at,
    state: portState(row.state),
    token: row.token,
    used: row.used,
    attemptsMax: row.attempts_max,
    isSuspect: row.is_suspect === 1,
    expiresAtMs: row.expires_at,
    attempts: readAttempts(row.attempts),
    result: row.result,
    finishedAtMs: row.finished_at,
  };
}

export const readAttempts = (attempts: string | null): readonly Attempt[] =>
  attempts === null ? [] : (JSON.parse(attempts) as readonly Attempt[]);
