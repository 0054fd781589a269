import type { Task, TerminalState } from "./task.ts";

/** What the log keeps of a finished task when its row is gone: all but payload and result. */
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

/** A key that stays reserved though its task is only in the log: adding it again is a duplicate. */
export type KeptKey = Pick<
  LogEntry,
  "id" | "kind" | "job" | "gate" | "key" | "state" | "finishedAtMs"
>;

/** How much of finished tasks is kept besides their rows. */
export interface LogStats {
  readonly entries: number;
  /** When the oldest of them finished; 0 when there is none. */
  readonly oldestAtMs: number;
  readonly keptKeys: number;
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
