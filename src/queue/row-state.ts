import type { Task, TaskState } from "./task.ts";

/**
 * The states of a task in the rows of a SQL store. The first four are all "pending": they are kept
 * apart so that a claim finds ready tasks without reading the others. The numbers are stored and
 * never change. SQL text contains them as literals, because partial indexes need literals.
 */
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

/** The lowest number of a finished task. */
export const finishedFrom = taskStates.done;

/**
 * SQL lists of pending states, as indexes contain them: due later, due now, and all except ready.
 */
export const stateLists = {
  dueLater: `(${taskStates.scheduled}, ${taskStates.backoff})`,
  dueNow: `(${taskStates.ready}, ${taskStates.suspect})`,
  notReady: `(${taskStates.scheduled}, ${taskStates.backoff}, ${taskStates.suspect})`,
} as const;

/** The state that callers of the store see for the state of a row. */
export const portState = (state: number): TaskState => jobCounter(stateName(state));

/** The counter of a job that counts tasks in this state. */
export const jobCounter = (state: StateName): TaskState =>
  taskStates[state] < taskStates.running ? "pending" : (state as Exclude<TaskState, "pending">);

/** The states of rows for which callers see this state. */
export const rowStatesOf = (state: TaskState): readonly number[] =>
  stateNames.filter((name) => jobCounter(name) === state).map((name) => taskStates[name]);

/** The state of a task's row: a pending task has one of four. */
export function rowState(
  task: Pick<Task, "state" | "dueAtMs" | "attempts" | "isSuspect">,
  wallMs: number,
): StateName {
  if (task.state !== "pending") return task.state;
  if (task.dueAtMs > wallMs) return task.attempts.length > 0 ? "backoff" : "scheduled";
  return task.isSuspect ? "suspect" : "ready";
}
