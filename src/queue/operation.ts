import type { AppError } from "../base/app-error.ts";
import type { GateView } from "./gate.ts";
import type { Identity, Lease, LeaseRef, NewTask, TerminalState } from "./task.ts";

/**
 * All write operations. The model, the stores and the simulation implement exactly these. Each is
 * applied completely or not at all, and may be repeated.
 */
export type Operation =
  | Add
  | Claim
  | Extend
  | FinishAll
  | ReleaseAll
  | { readonly op: "sweep" }
  | { readonly op: "block"; readonly gate: string; readonly forMs: number }
  | SetGate
  | OpenJob
  | { readonly op: "seal" | "pause" | "resume" | "cancel"; readonly job: string }
  | Raise
  | Retry
  | Purge
  | ForgetKeys
  | PruneLog;

export interface Add {
  readonly op: "add";
  readonly tasks: readonly NewTask[];
  /** The running task that adds these: a sealed job accepts new tasks only from its own tasks. */
  readonly by?: LeaseRef;
}
/**
 * The result for one task. `id` is the task that has this key now: the new task, or the one that it
 * duplicates. A refused task has no id.
 */
export type Added =
  | { readonly status: "added" | "duplicate"; readonly id: number }
  | { readonly status: "over_budget" | "closed" | "full"; readonly id?: undefined };
export type AddStatus = Added["status"];

export interface Claim {
  readonly op: "claim";
  /** One per process: a suspect task is handed only to a worker that holds nothing else. */
  readonly worker: string;
  readonly kinds: readonly string[];
  /** Free slots. A run takes one slot for each task that may run at once, not for each task. */
  readonly limit: number;
  /** Longest run of one gate. */
  readonly burst: number;
  readonly leaseMs: number;
  /** A repeated request gets the same leases again. */
  readonly requestId: string;
  /** Set by a store with several shards: the worker holds tasks in another shard. */
  readonly holdsElsewhere?: boolean;
}
export interface Claimed {
  readonly leases: readonly Lease[];
  /** A suspect task waits for a worker that holds no task. */
  readonly hasSuspect: boolean;
}

export interface Extend {
  readonly op: "extend";
  readonly leases: readonly LeaseRef[];
  readonly leaseMs: number;
}
/** "lost": finished, released, swept or cancelled before. Nothing was written; drop the work. */
export type Held =
  | { readonly status: "held"; readonly gate?: GateView }
  | { readonly status: "lost"; readonly gate?: undefined };

export interface FinishAll {
  readonly op: "finish";
  readonly finishes: readonly Finish[];
}
export interface Finish extends LeaseRef {
  readonly outcome: Outcome;
  /**
   * Time since this worker last started a task of this gate, in whole milliseconds, rounded down.
   * Absent: 0.
   */
  readonly sinceStartMs?: number;
  /** Stored in the same step as the finish, and only if the lease is held. */
  readonly add?: readonly NewTask[];
  readonly raise?: readonly RaiseOne[];
  /** Requests that the handler sent: added to those of the job if the lease is held. */
  readonly requests?: number;
}
export type Outcome =
  | { readonly kind: "done"; readonly result: string | null }
  | { readonly kind: "skip"; readonly reason: string }
  | Retried
  | Failed
  | Crash;
/** Try again after `delayMs`, if an attempt is left. */
export interface Retried {
  readonly kind: "retry";
  readonly delayMs: number;
  readonly reason: string;
  /** The stack trace of the error, shown with the task. */
  readonly stack?: string;
}
export interface Failed {
  readonly kind: "fail";
  readonly reason: string;
  readonly stack?: string;
}
/**
 * The process died while the task ran; another process reports it. The task is due at once and
 * suspect, as after an expired lease, or failed if no attempt is left.
 */
export interface Crash {
  readonly kind: "crash";
  readonly reason: string;
  /** The handler's limit on attempts. The lower of this and the task's own limit applies. */
  readonly attemptsMax?: number;
}

/**
 * What the queue decided about a finish:
 * - "retried": it is pending again and due at `dueAtMs` (wall clock);
 * - "failed": it is a dead letter, because the outcome was "fail" or no attempt was left;
 * - "lost": as in `Held`. Nothing was written.
 */
export type Finished =
  | { readonly status: "done" | "skipped" | "failed"; readonly gate?: GateView }
  | { readonly status: "retried"; readonly dueAtMs: number; readonly gate?: GateView }
  | { readonly status: "lost"; readonly gate?: undefined };

export interface ReleaseAll {
  readonly op: "release";
  readonly releases: readonly Release[];
}
export interface Release extends LeaseRef {
  /** As in `Finish`. Absent: no task of the gate was started. */
  readonly sinceStartMs?: number;
}

export interface Swept {
  readonly requeued: number;
  readonly failed: number;
  readonly cancelled: number;
  /** The sweep reached its limit: sweep again. */
  readonly hasMore: boolean;
}

export interface SetGate {
  readonly op: "setGate";
  readonly gate: string;
  readonly delayMs?: number;
  readonly limit?: number;
}

export interface OpenJob {
  readonly op: "openJob";
  readonly job: string;
  readonly concurrency: number | null;
  readonly budget: number | null;
  readonly gate: string;
}
/** "closed": the job has ended; only `retry` reopens it. "absent": there is no such job. */
export type JobAnswer = "ok" | "closed" | "absent";

export interface Raise {
  readonly op: "raise";
  readonly raises: readonly RaiseOne[];
}
export interface RaiseOne extends Identity {
  readonly priority: number;
  /** Ends the wait of a task that is due later. */
  readonly isDueNow?: true;
}
/**
 * "unchanged": the task is not pending, or already has this priority or a higher one and, if
 * `isDueNow`, is due.
 */
export type Raised = "raised" | "unchanged" | "absent";

/** Selects finished tasks that match all given fields. */
export interface FinishedFilter {
  readonly states: readonly TerminalState[];
  readonly ids?: readonly number[];
  readonly job?: string;
  readonly kind?: string;
  readonly gate?: string;
  readonly finishedBeforeMs?: number;
}
export interface Retry {
  readonly op: "retry";
  readonly filter: FinishedFilter;
  readonly rowsMax: number;
}
/** Moves finished tasks into the log: deletes the rows and adds the entries in one step. */
export interface Purge {
  readonly op: "purge";
  readonly filter: FinishedFilter;
  readonly rowsMax: number;
  /** The keys stay reserved until `forgetKeys` frees them. */
  readonly keepKeys: boolean;
}
/** Frees the reserved keys of matching tasks that are only in the log. */
export interface ForgetKeys {
  readonly op: "forgetKeys";
  readonly filter: FinishedFilter;
  readonly rowsMax: number;
}
/** The only operation that removes log entries. Reserved keys stay reserved. */
export interface PruneLog {
  readonly op: "pruneLog";
  readonly finishedBeforeMs: number;
  readonly rowsMax: number;
}
export interface Changed {
  readonly changed: number;
  readonly hasMore: boolean;
}

/** The answer to each operation. */
export type Answer<O extends Operation> = O extends Add
  ? readonly Added[]
  : O extends Claim
    ? Claimed
    : O extends FinishAll
      ? readonly Finished[]
      : O extends Extend | ReleaseAll
        ? readonly Held[]
        : O extends { readonly op: "sweep" }
          ? Swept
          : O extends { readonly op: "block" } | SetGate
            ? GateView
            : O extends Raise
              ? readonly Raised[]
              : O extends Retry | Purge | ForgetKeys | PruneLog
                ? Changed
                : JobAnswer;

/** A refused operation has an AppError; the others in its commit are not affected. */
export type Outcomes = readonly (Answer<Operation> | AppError)[];

/** Maximum rows of one bulk operation, so that no transaction delays others for long. */
export const bulkRowsMax = 5_000;
/** Maximum expired leases that one sweep takes back. */
export const sweepRowsMax = 1_000;
