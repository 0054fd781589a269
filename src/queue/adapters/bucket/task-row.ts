import { identityOf } from "../../model/shard.ts";
import type { Attempt, Task, TaskState } from "../../task.ts";

/** A task with what was made of it once: tasks are immutable, so both stand for it always. */
export interface TaskRow {
  readonly task: Task;
  /** One line of JSON, an array, because a head holds thousands. */
  readonly line: string;
  readonly identity: string;
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

export const writeRow = (task: Task): TaskRow => ({
  task,
  line: JSON.stringify(rowOf(task)),
  identity: identityOf(task),
});

/** Throws where the line is not a task. */
export function readRow(line: string): TaskRow {
  const task = taskOf(JSON.parse(line) as Row);
  return { task, line, identity: identityOf(task) };
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
