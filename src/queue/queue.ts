import type { Closable } from "../base/closable.ts";
import type { Gate, GateView } from "./gate.ts";
import type { Job } from "./job.ts";
import type { NamePage } from "./names.ts";
import type * as operation from "./operation.ts";
import type {
  BrowseQuery,
  ChangeListener,
  Connections,
  ServerFigures,
  EndedQuery,
  QueueFormat,
  Reconciled,
  StoreNow,
} from "./queue-store.ts";
import type { LogEntry, LogStats } from "./read/log-entry.ts";
import type { QueueStats } from "./read/stats.ts";
import type { Identity, Lease, LeaseRef, Task } from "./task.ts";
import type { Waiting } from "./waiting.ts";

/** The payload type of each kind. The default accepts any JSON. */
export type Kinds = Readonly<Record<string, unknown>>;
type KindOf<K extends Kinds> = keyof K & string;

/**
 * A queue of tasks, the same on every backend.
 *
 * Calls made in the same turn of the event loop share one commit; their promises resolve after it.
 * A call that fails with an `unavailable` AppError may or may not have been applied, and is safe to
 * repeat. Input is checked before it joins a commit: a call that throws `invalid` wrote nothing and
 * does not affect the other calls.
 *
 * `close()`, or the end of an `await using` block, waits for the answers to all calls and then
 * closes the store. Calls made later throw `queue_closed`. `retry`, `archive`, `purge`, `forgetKeys`
 * and `pruneLog` work in chunks: closing stops them after the current chunk with `queue_closed`.
 */
export interface Queue<K extends Kinds = Kinds> extends Closable {
  /** Idempotent by (job, gate, key); a duplicate only raises a pending task's priority. */
  add(
    tasks: readonly TaskInput<K>[],
    options?: { readonly by?: LeaseRef },
  ): Promise<readonly operation.Added[]>;

  /** Leases exactly the tasks it returns. Never waits for work to appear. */
  claim<C extends KindOf<K>>(request: ClaimInput<C>): Promise<ClaimedTasks<K, C>>;
  /** Moves the end of the leases to `leaseMs` from now. */
  extend(leases: readonly LeaseRef[], leaseMs: number): Promise<readonly operation.Held[]>;
  /** Ends attempts; returns what the queue decided about each task. */
  finish(finishes: readonly FinishInput<K>[]): Promise<readonly operation.Finished[]>;
  /** Gives tasks back without counting the attempt. */
  release(releases: readonly operation.Release[]): Promise<readonly operation.Held[]>;
  /** Takes back expired leases. Every claim does this too. */
  sweep(): Promise<operation.Swept>;

  /**
   * No claim returns a task of this gate for at least `forMs` after this call. A later call never
   * shortens a block, except that 0 removes it.
   */
  block(gate: string, forMs: number): Promise<GateView>;
  setGate(
    gate: string,
    settings: { readonly delayMs?: number; readonly limit?: number },
  ): Promise<GateView>;

  /**
   * Creates the job, or replaces all settings of an open one: a `concurrency`, `budget` or `gate`
   * that is left out is cleared. To change one setting, repeat the others.
   */
  openJob(job: string, settings?: JobInput): Promise<operation.JobAnswer>;
  /**
   * From now on only the job's own running tasks can add tasks to it. It completes when no task is
   * left.
   */
  seal(job: string): Promise<operation.JobAnswer>;
  pause(job: string): Promise<operation.JobAnswer>;
  resume(job: string): Promise<operation.JobAnswer>;
  cancel(job: string): Promise<operation.JobAnswer>;

  raise(raises: readonly RaiseInput[]): Promise<readonly operation.Raised[]>;
  /** Makes failed (or skipped) tasks pending again, in chunks; returns how many. */
  retry(filter?: FinishedInput, onProgress?: (changed: number) => void): Promise<number>;
  /**
   * Moves finished tasks into the log, in chunks; returns how many. Their keys stay reserved:
   * adding a task with such a key is a duplicate, until `forgetKeys` frees the key.
   */
  archive(filter: FinishedInput, onProgress?: (changed: number) => void): Promise<number>;
  /**
   * Like `archive`, but also frees the keys, including keys of matching tasks that were archived
   * before. Counts only the tasks that it moves.
   */
  purge(filter: FinishedInput, onProgress?: (changed: number) => void): Promise<number>;
  /** Frees reserved keys of archived tasks, in chunks; returns how many. */
  forgetKeys(filter: FinishedInput, onProgress?: (changed: number) => void): Promise<number>;
  /** Removes log entries of tasks that finished before this time, in chunks; returns how many. */
  pruneLog(finishedBeforeMs: number, onProgress?: (changed: number) => void): Promise<number>;

  /** The store's clock. All times of tasks and gates are readings of this clock. */
  now(): Promise<StoreNow>;
  stats(): Promise<QueueStats>;
  /**
   * The task, and if it is pending, why it waits and how long at least. undefined: it was never
   * added, or has no row any more.
   */
  show(id: number): Promise<Shown | undefined>;
  browse(query?: Partial<BrowseQuery>): Promise<readonly Task[]>;
  /** Finished tasks, oldest end first. `after` is the last task of the previous page. */
  ended(query?: Partial<EndedQuery>): Promise<readonly Task[]>;
  /** Like `ended`, but includes archived tasks. Entries have no payload and no result. */
  log(query?: Partial<EndedQuery>): Promise<readonly LogEntry[]>;
  /** The entry of an archived task, which `show` no longer finds. */
  logEntry(id: number): Promise<LogEntry | undefined>;
  logStats(): Promise<LogStats>;
  /** In order of name. Without a limit, returns all jobs, read page by page. */
  jobs(page?: Partial<NamePage>): Promise<readonly Job[]>;
  job(name: string): Promise<Job | undefined>;
  gate(name: string): Promise<Gate | undefined>;
  /** Gates that have tasks, in order of name. Without a limit, returns all, read page by page. */
  gates(page?: Partial<NamePage>): Promise<readonly Gate[]>;
  wakeInMs(kinds: readonly string[], worker?: string): Promise<number | undefined>;
  watch(listener: ChangeListener): () => void;
  /** See QueueStore. */
  readonly netMs?: number;
  /** See QueueStore. */
  readonly hasTaskLimit?: boolean;
  /** See QueueStore. */
  readonly gone?: Promise<never>;
  /** Connections of this process to the backend; undefined if the backend has none. */
  connections(): Connections | undefined;
  /** Figures about the backend's server; undefined if there is none. */
  server(): Promise<ServerFigures | undefined>;
  /** See QueueStore. */
  format(): Promise<QueueFormat>;
  /** See QueueStore. */
  finishUpgrade(): Promise<QueueFormat>;
  reconcile(options?: { readonly repair?: boolean }): Promise<Reconciled>;
}

export type TaskInput<K extends Kinds = Kinds> = {
  readonly [C in KindOf<K>]: PayloadInput<K[C]> & {
    readonly kind: C;
    readonly job?: string;
    readonly gate?: string;
    /** Without a key, the task is never a duplicate. */
    readonly key?: string;
    /** 0–1000, default 500. */
    readonly priority?: number;
    /** Wall clock time. Give at most one of `dueAtMs` and `delayMs`. */
    readonly dueAtMs?: number;
    /** From now. */
    readonly delayMs?: number;
    /** Default 5. */
    readonly attemptsMax?: number;
  };
}[KindOf<K>];

/** A payload that is left out is stored as null, so only a nullable payload is optional. */
type PayloadInput<P> = null extends P
  ? { readonly payload?: P }
  : undefined extends P
    ? { readonly payload?: P }
    : { readonly payload: P };

export interface ClaimInput<C extends string = string> {
  readonly worker: string;
  readonly kinds: readonly C[];
  /** Free slots, default 1. */
  readonly limit?: number;
  /** Longest run of one gate, default 50. */
  readonly burst?: number;
  /** Default 60,000. */
  readonly leaseMs?: number;
  /** To repeat a claim whose answer was lost, pass the same id. Default: a new id. */
  readonly requestId?: string;
}

export type LeasedTask<K extends Kinds = Kinds, C extends KindOf<K> = KindOf<K>> = {
  readonly [One in C]: Omit<Lease, "kind" | "payload"> & {
    readonly kind: One;
    readonly payload: K[One];
  };
}[C];

export interface ClaimedTasks<K extends Kinds, C extends KindOf<K>> {
  readonly leases: readonly LeasedTask<K, C>[];
  readonly hasSuspect: boolean;
}

export interface FinishInput<K extends Kinds = Kinds> extends LeaseRef {
  readonly outcome:
    | { readonly kind: "done"; readonly result?: unknown }
    | { readonly kind: "skip"; readonly reason: string }
    | operation.Retried
    | operation.Failed
    | operation.Crash;
  /** Time since this worker last started a task of this gate; may be a fraction. */
  readonly sinceStartMs?: number;
  readonly add?: readonly TaskInput<K>[];
  readonly raise?: readonly RaiseInput[];
  /** Requests that the handler sent, added to `requests` of the job. Absent: 0. */
  readonly requests?: number;
}

/** A setting that is left out does not limit the job, even if it was set before. */
export interface JobInput {
  readonly concurrency?: number;
  readonly budget?: number;
  readonly gate?: string;
}

export interface RaiseInput extends Partial<Identity> {
  readonly key: string;
  readonly priority: number;
  /** Ends the wait of a task that is scheduled for later, or waits for its next attempt. */
  readonly isDueNow?: true;
}

/** Default: failed tasks. */
export type FinishedInput = Partial<operation.FinishedFilter>;

export interface Shown {
  readonly task: Task;
  readonly worker: string | undefined;
  /** Present while pending. */
  readonly waiting: Waiting | undefined;
  readonly ageMs: number;
}
