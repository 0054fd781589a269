import { identityOf } from "../../../model/shard.ts";
import type { Attempt, Task, TaskState } from "../../../task.ts";

/** A task with its line of text. Both are cached, because tasks are immutable. */
export interface HeadTaskRow {
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
  attempts: readonly (readonly [number, number, Attempt["outcome"], string, string?])[],
];

/** `before`: the previous row with that id, if any; the identity of a task never changes. */
export const writeRow = (task: Task, before: HeadTaskRow | undefined): HeadTaskRow => ({
  task,
  line: JSON.stringify(rowOf(task)),
  identity: identityFrom(before, task),
});

/** Throws if the line is not a task. */
export function readRow(line: string, before: HeadTaskRow | undefined): HeadTaskRow {
  const task = taskOf(JSON.parse(line) as Row);
  return { task, line, identity: identityFrom(before, task) };
}

const identityFrom = (before: HeadTaskRow | undefined, task: Task): string =>
  before &&
  before.task.key === task.key &&
  before.task.gate === task.gate &&
  before.task.job === task.job
    ? before.identity
    : identityOf(task);

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
  task.attempts.map(({ token, atMs, outcome, reason, stack }) =>
    stack === undefined ? [token, atMs, outcome, reason] : [token, atMs, outcome, reason, stack],
  ),
];

function taskOf(row: Row): Task {
  const state = states[row[9]];
  if (state === undefined || row.length !== 18 || !Number.isSafeInteger(row[0])) {
    throw new TypeError("a line is not a task");
  }
  // By index: destructuring such an array costs several times as much.
  return {
    id: row[0],
    kind: row[1],
    job: row[2],
    gate: row[3],
    key: row[4],
    payload: row[5],
    priority: row[6],
    dueAtMs: row[7],
    createdAtMs: row[8],
    state,
    token: row[10],
    used: row[11],
    attemptsMax: row[12],
    isSuspect: row[13] === 1,
    expiresAtMs: row[14],
    attempts: row[17].map(([token, atMs, outcome, reason, stack]) =>
      stack === undefined
        ? { token, atMs, outcome, reason }
        : { token, atMs, outcome, reason, stack },
    ),
    result: row[16],
    finishedAtMs: row[15],
  };
}
