import type { Task, TerminalState } from "../task.ts";

/** A finished task in the log, after its row was deleted: no payload and no result. */
export interface LogEntry extends Pick<
  Task,
  | "id"
  | "kind"
  | "job"
  | "gate"
  | "key"
  | "createdAtMs"
  | "finishedAtMs"
  | "used"
  | "attemptsMax"
  | "attempts"
> {
  readonly state: TerminalState;
}

/** The reserved key of a task that is only in the log: adding it again is a duplicate. */
export type KeptKey = Pick<
  LogEntry,
  "id" | "kind" | "job" | "gate" | "key" | "state" | "finishedAtMs"
>;

/** The size of the log, and the number of reserved keys of tasks without a row. */
export interface LogStats {
  readonly entries: number;
  /** When the task of the oldest entry finished; 0: there is no entry. */
  readonly oldestAtMs: number;
  readonly keptKeys: number;
  /** No task moves into the log until the upgrade of the queue is finished. */
  readonly waitsForUpgrade?: true;
}

export const logEntryOf = (task: Task): LogEntry => ({
  id: task.id,
  kind: task.kind,
  job: task.job,
  gate: task.gate,
  key: task.key,
  state: task.state as TerminalState,
  createdAtMs: task.createdAtMs,
  finishedAtMs: task.finishedAtMs,
  used: task.used,
  attemptsMax: task.attemptsMax,
  attempts: task.attempts,
});

export const keptKeyOf = ({
  id,
  kind,
  job,
  gate,
  key,
  state,
  finishedAtMs,
}: LogEntry): KeptKey => ({
  id,
  kind,
  job,
  gate,
  key,
  state,
  finishedAtMs,
});
