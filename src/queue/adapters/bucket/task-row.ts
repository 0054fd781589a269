import type { Attempt, Task, TaskState } from "../../task.ts";

/**
 * A task as one line of JSON, an array, because a head holds thousands. Tasks are immutable, so a
 * line is made once for each; and a line that was seen before is not parsed again, so unchanged
 * tasks stay the same objects from one head to the next.
 */
export interface TaskRows {
  write(task: Task): string;
  /** `known`: what lines of an earlier head stood for. */
  read(line: string, known: ReadonlyMap<string, Task>): Task;
}

const states: readonly TaskState[] = ["pending", "running", "done", "skipped", "failed"];

type Row = readonly [
  id: number,
  kind: string,
  job: string,
  gate: string,
  key: string,
  payload: string,
  priority: number,
  dueAtMs: number,
  createdAtMs: number,
  state: number,
  token: number,
  used: number,
  attemptsMax: number,
  isSuspect: 0 | 1,
  expiresAtMs: number,
  finishedAtMs: number,
  result: string | null,
  attempts: readonly (readonly [number, number, Attempt["outcome"], string])[],
];

export function createTaskRows(): TaskRows {
  const lines = new WeakMap<Task, string>();
  return {
    write(task) {
      const known = lines.get(task);
      if (known !== undefined) return known;
      const line = JSON.stringify(rowOf(task));
      lines.set(task, line);
      return line;
    },
    read(line, known) {
      const before = known.get(line);
      if (before) return before;
      const task = taskOf(JSON.parse(line) as Row);
      lines.set(task, line);
      return task;
    },
  };
}

export const rowOf = (task: Task): Row => [
  task.id,
  task.kind,
  task.job,
  task.gate,
  task.key,
  task.payload,
  task.priority,
  task.dueAtMs,
  task.createdAtMs,
  states.indexOf(task.state),
  task.token,
  task.used,
  task.attemptsMax,
  task.isSuspect ? 1 : 0,
  task.expiresAtMs,
  task.finishedAtMs,
  task.result,
  task.attempts.map(({ token, atMs, outcome, reason }) => [token, atMs, outcome, reason]),
];

function taskOf(row: Row): Task {
  const [id, kind, job, gate, key, payload, priority, dueAtMs, createdAtMs, state, token] = row;
  const [, , , , , , , , , , , used, attemptsMax, isSuspect, expiresAtMs, finishedAtMs] = row;
  const [result, attempts] = [row[16], row[17]];
  const name = states[state];
  if (name === undefined || row.length !== 18 || !Number.isSafeInteger(id)) {
    throw new TypeError("a line is not a task");
  }
  return {
    id,
    kind,
    job,
    gate,
    key,
    payload,
    priority,
    dueAtMs,
    createdAtMs,
    state: name,
    token,
    used,
    attemptsMax,
    isSuspect: isSuspect === 1,
    expiresAtMs,
    attempts: attempts.map(([token_, atMs, outcome, reason]) => ({
      token: token_,
      atMs,
      outcome,
      reason,
    })),
    result,
    finishedAtMs,
  };
}
