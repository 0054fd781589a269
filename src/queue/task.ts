/**
 * A task, as every backend stores it.
 *
 * pending → running           claim: `used` + 1, a new token
 * running → pending           finish retry (later `dueAtMs`, reason kept) · release (`used` - 1)
 *                             sweep of an expired lease, or finish crash (reason kept, the task
 *                             is now suspect)
 * running → done | skipped    finish
 * running → failed            finish fail · retry, crash or sweep with no attempt left
 * pending → skipped           its job was cancelled
 * failed | skipped → pending  an explicit retry, the only way out of a terminal state
 */
export interface Task {
  readonly id: number;
  readonly kind: string;
  readonly job: string;
  /** What paces it, usually a web host; "" when nothing does. */
  readonly gate: string;
  /** With job and gate the identity: adding it again is a duplicate. */
  readonly key: string;
  /** JSON text. */
  readonly payload: string;
  /** Thousandths, 0–1000; higher goes first. */
  readonly priority: number;
  /** Wall clock. All other times are the store's own clock, which never steps. */
  readonly dueAtMs: number;
  readonly createdAtMs: number;
  readonly state: TaskState;
  /** Fencing: rises with each claim and never repeats, not even after a restored backup. */
  readonly token: number;
  /** Attempts charged so far; at `attemptsMax` a retry becomes a failure. */
  readonly used: number;
  readonly attemptsMax: number;
  /** Its lease expired once, or its process crashed: it is handed out alone until it ends. */
  readonly isSuspect: boolean;
  /** While running: when the sweep may take it back. */
  readonly expiresAtMs: number;
  /** Every attempt that did not end well, oldest first. */
  readonly attempts: readonly Attempt[];
  /** JSON text; null until done, and when done without a result. */
  readonly result: string | null;
  /** 0 while unfinished. */
  readonly finishedAtMs: number;
}

export type TaskState = "pending" | "running" | "done" | "skipped" | "failed";
export type TerminalState = Exclude<TaskState, "pending" | "running">;

export interface Attempt {
  readonly token: number;
  readonly atMs: number;
  readonly outcome: "retry" | "fail" | "skip" | "crash" | "expired" | "cancelled";
  readonly reason: string;
  /** Where the error was thrown. Only the newest attempts keep it. */
  readonly stack?: string;
}

/** Kept per task; older ones are dropped, since retries by hand are not bounded. */
export const attemptsKeptMax = 50;
export const stacksKeptMax = 3;

/** The attempts of a task with one more. */
export function withAttempt(before: readonly Attempt[], last: Attempt): readonly Attempt[] {
  const all = [...before, last].slice(-attemptsKeptMax);
  const dropped = all.at(-1 - stacksKeptMax);
  if (dropped?.stack === undefined) return all;
  const { stack: _stack, ...rest } = dropped;
  return all.with(-1 - stacksKeptMax, rest);
}

/**
 * The attempts as they ended. A retry that had no attempt left is stored as it was asked for; it
 * ended the task, so it is a failure, also after somebody has made the task pending again. Such a
 * round of attempts always has `attemptsMax` of them.
 */
export function endedAttempts(task: EndedTask): readonly Attempt[] {
  const { attempts, attemptsMax } = task;
  const ended = [...attempts];
  for (let at = lastFailure(task); ; at -= attemptsMax) {
    const attempt = ended[at];
    if (attempt?.outcome !== "retry") break;
    ended[at] = { ...attempt, outcome: "fail" };
  }
  return ended;
}

type EndedTask = Pick<Task, "state" | "attempts" | "used" | "attemptsMax">;

/** Whether the task failed and was made pending again. Then its attempts are counted from 0 again. */
export const isRetriedByHand = (task: EndedTask): boolean =>
  task.state === "pending" && endedAttempts(task)[lastFailure(task)]?.outcome === "fail";

/** Which attempt ended the task last. Of the attempts after it, one that runs or succeeded is not listed. */
function lastFailure({ state, attempts, used }: EndedTask): number {
  if (state === "skipped") return -1; // by a cancelled job, perhaps without an attempt
  const isLast = state === "failed";
  const listed = state === "pending" ? used : used - 1;
  return attempts.length - 1 - (isLast ? 0 : listed);
}

/** Why a task that is not done has not succeeded; "" if it is done, or nothing went wrong. */
export const lastReason = ({ state, attempts }: Pick<Task, "state" | "attempts">): string =>
  state === "done" ? "" : (attempts.at(-1)?.reason ?? "");

/** What `add` takes, validated and complete. */
export type NewTask = Pick<
  Task,
  "kind" | "job" | "gate" | "key" | "payload" | "priority" | "dueAtMs" | "attemptsMax"
>;

export interface Identity {
  readonly job: string;
  readonly gate: string;
  readonly key: string;
}

/** Names a lease: whoever shows it must still hold it. */
export interface LeaseRef {
  readonly id: number;
  readonly token: number;
}

/** A task in flight. */
export interface Lease extends LeaseRef {
  readonly kind: string;
  readonly job: string;
  readonly gate: string;
  readonly key: string;
  readonly payload: string;
  readonly priority: number;
  readonly createdAtMs: number;
  /** This attempt's number, from 1. */
  readonly used: number;
  readonly attemptsMax: number;
  readonly isSuspect: boolean;
  readonly leaseMs: number;
  /** How to pace it; absent when it has no gate. Leases of one gate in one claim are one run. */
  readonly pace?: Pace;
}

/**
 * The rule for the tasks of one gate in flight at one worker: start to start at least `delayMs`
 * apart, at most `limit` at once. `isRun` means that nobody else gets this gate meanwhile.
 */
export interface Pace {
  readonly delayMs: number;
  readonly limit: number;
  readonly isRun: boolean;
}

export const isTerminal = (state: TaskState): state is TerminalState =>
  state !== "pending" && state !== "running";
