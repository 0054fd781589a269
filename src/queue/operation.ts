import type { AppError } from "../base/app-error.ts";
import type { GateView } from "./gate.ts";
import type { Identity, Lease, LeaseRef, NewTask, TerminalState } from "./task.ts";

/**
 * Everything that writes, closed: the model, the stores and the simulation know exactly these.
 * Each operation is applied whole or not at all, and may be repeated.
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
  /** The running task that adds: a sealed job takes new tasks only from its own. */
  readonly by?: LeaseRef;
}
/**
 * What became of one task. `id` is the id of the task that now has this key: the new one, or the one
 * that had it before. A refused task has none.
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
  /** Free slots. A run takes as many as it may have at work at once, not one for each task. */
  readonly limit: number;
  /** Longest run of one gate. */
  readonly burst: number;
  readonly leaseMs: number;
  /** A repeated request gets the same leases again. */
  readonly requestId: string;
  /** Of a store with several shards: the worker has something in another one. */
  readonly holdsElsewhere?: boolean;
}
export interface Claimed {
  readonly leases: readonly Lease[];
  /** A suspect task waits for a worker that holds nothing. */
  readonly hasSuspect: boolean;
}

export interface Extend {
  readonly op: "extend";
  readonly leases: readonly LeaseRef[];
  readonly leaseMs: number;
}
/** "lost": finished, released, swept or cancelled since. Nothing was written; drop the work. */
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
   * Since the last start of a task of this gate in this worker, in whole milliseconds, rounded
   * down; absent: it counts as started now.
   */
  readonly sinceStartMs?: number;
  /** Stored in the same step, and only if the lease is held. */
  readonly add?: readonly NewTask[];
  readonly raise?: readonly RaiseOne[];
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
  /** Where the error was thrown, for people who look at the task. */
  readonly stack?: string;
}
export interface Failed {
  readonly kind: "fail";
  readonly reason: string;
  readonly stack?: string;
}
/**
 * The process died while the task ran, reported by whoever knows. The task is due at once and
 * suspect, as after an expired lease, or failed when no attempt is left.
 */
export interface Crash {
  readonly kind: "crash";
  readonly reason: string;
  /** The attempts its handler allows; the lower of this and the task's own limit holds. */
  readonly attemptsMax?: number;
}

/**
 * What the queue decided about a finish:
 * - "retried": it is pending again and due at `dueAtMs` (wall clock);
 * - "failed": it is a dead letter, because it failed for good or no attempt was left;
 * - "lost": as of `Held`. Nothing was written.
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
  /** As of a finish; absent: none was started. */
  readonly sinceStartMs?: number;
}

export interface Swept {
  readonly requeued: number;
  readonly failed: number;
  readonly cancelled: number;
  /** A bound was reached: sweep again. */
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
/** "closed": it has ended, and only a retry opens it again. "absent": there is no such job. */
export type JobAnswer = "ok" | "closed" | "absent";

export interface Raise {
  readonly op: "raise";
  readonly raises: readonly RaiseOne[];
}
export interface RaiseOne extends Identity {
  readonly priority: number;
}
/** "unchanged": not pending any more, or already as high. */
export type Raised = "raised" | "unchanged" | "absent";

/** Which finished tasks; every part that is given must match. */
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
/** Moves finished tasks into the log, in the same step. */
export interface Purge {
  readonly op: "purge";
  readonly filter: FinishedFilter;
  readonly rowsMax: number;
  /** Their keys stay reserved, until `forgetKeys`. */
  readonly keepKeys: boolean;
}
/** Frees keys of tasks that are only in the log; the filter is about those tasks. */
export interface ForgetKeys {
  readonly op: "forgetKeys";
  readonly filter: FinishedFilter;
  readonly rowsMax: number;
}
/** The only operation that removes something from the log. Reserved keys stay so. */
export interface PruneLog {
  readonly op: "pruneLog";
  readonly finishedBeforeMs: number;
  readonly rowsMax: number;
}
export interface Changed {
  readonly changed: number;
  readonly hasMore: boolean;
}

/** What each operation answers. */
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

/** An operation the store refuses says why; the others of its commit are not touched by that. */
export type Outcomes = readonly (Answer<Operation> | AppError)[];

/** Rows one operation may change in bulk, so that no transaction holds others up for long. */
export const bulkRowsMax = 5_000;
/** Expired leases one sweep takes back. */
export const sweepRowsMax = 1_000;
