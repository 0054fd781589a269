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
  /** The gate that limits its rate, usually a web host; "" for none. */
  readonly gate: string;
  /** Together with job and gate, this is the identity: adding it again is a duplicate. */
  readonly key: string;
  /** JSON text. */
  readonly payload: string;
  /** 0–1000; a higher priority goes first. */
  readonly priority: number;
  /** Wall clock time. All other times are times of the store's own clock, which never steps. */
  readonly dueAtMs: number;
  readonly createdAtMs: number;
  readonly state: TaskState;
  /**
   * The fencing token: rises with each claim and is never used twice, not even after a restored
   * backup.
   */
  readonly token: number;
  /** The number of counted attempts; when it reaches `attemptsMax`, a retry becomes a failure. */
  readonly used: number;
  readonly attemptsMax: number;
  /** Its lease expired once, or its process crashed: until it ends, it runs alone. */
  readonly isSuspect: boolean;
  /** While it runs: when the sweep may take it back. */
  readonly expiresAtMs: number;
  /** All attempts that did not succeed, oldest first. */
  readonly attempts: readonly Attempt[];
  /** JSON text; null if it is not done, or has no result. */
  readonly result: string | null;
  /** 0 if it is not finished. */
  readonly finishedAtMs: number;
}

export type TaskState = "pending" | "running" | "done" | "skipped" | "failed";
export type TerminalState = Exclude<TaskState, "pending" | "running">;

export interface Attempt {
  readonly token: number;
  readonly atMs: number;
  readonly outcome: "retry" | "fail" | "skip" | "crash" | "expired" | "cancelled";
  readonly reason: string;
  /** The stack trace of the error. Only the newest attempts keep it. */
  readonly stack?: string;
}

/**
 * The most attempts kept per task; older ones are dropped, because retries by hand are not limited.
 */
export const attemptsKeptMax = 50;
export const stacksKeptMax = 3;

/** Appends an attempt to the attempts of a task. */
export function withAttempt(before: readonly Attempt[], last: Attempt): readonly Attempt[] {
  const all = [...before, last].slice(-attemptsKeptMax);
  const dropped = all.at(-1 - stacksKeptMax);
  if (dropped?.stack === undefined) return all;
  const { stack: _stack, ...rest } = dropped;
  return all.with(-1 - stacksKeptMax, rest);
}

/**
 * The attempts as they ended. A retry without an attempt left is stored as a retry; it ended the
 * task, so it is shown as a failure, even if the task was made pending again later. Such a round
 * always has `attemptsMax` attempts.
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

/**
 * True if the task failed and was made pending again. Then its attempts are counted from 0 again.
 */
export const isRetriedByHand = (task: EndedTask): boolean =>
  task.state === "pending" && endedAttempts(task)[lastFailure(task)]?.outcome === "fail";

/**
 * The index of the attempt that last ended the task. Among later attempts, one that runs or
 * succeeded is not listed.
 */
function lastFailure({ state, attempts, used }: EndedTask): number {
  if (state === "skipped") return -1; // because its job was cancelled, perhaps without an attempt
  const isLast = state === "failed";
  const listed = state === "pending" ? used : used - 1;
  return attempts.length - 1 - (isLast ? 0 : listed);
}

/** Why a task that is not done has not succeeded; "" if it is done or has no failed attempt. */
export const lastReason = ({ state, attempts }: Pick<Task, "state" | "attempts">): string =>
  state === "done" ? "" : (attempts.at(-1)?.reason ?? "");

/** The validated and complete input of `add`. */
export type NewTask = Pick<
  Task,
  "kind" | "job" | "gate" | "key" | "payload" | "priority" | "dueAtMs" | "attemptsMax"
>;

export interface Identity {
  readonly job: string;
  readonly gate: string;
  readonly key: string;
}

/** Identifies a lease. An operation with it works only while the lease is held. */
export interface LeaseRef {
  readonly id: number;
  readonly token: number;
}

/** A running task. */
export interface Lease extends LeaseRef {
  readonly kind: string;
  readonly job: string;
  readonly gate: string;
  readonly key: string;
  readonly payload: string;
  readonly priority: number;
  readonly createdAtMs: number;
  /** The number of this attempt, from 1. */
  readonly used: number;
  readonly attemptsMax: number;
  readonly isSuspect: boolean;
  readonly leaseMs: number;
  /**
   * How to limit its rate; absent without a gate. All leases of one gate in one claim are one run.
   */
  readonly pace?: Pace;
}

/**
 * The rule for the running tasks of one gate at one worker: at least `delayMs` between starts, at
 * most `limit` at once. `isRun`: no other worker gets this gate meanwhile.
 */
export interface Pace {
  readonly delayMs: number;
  readonly limit: number;
  readonly isRun: boolean;
}

export const isTerminal = (state: TaskState): state is TerminalState =>
  state !== "pending" && state !== "running";
