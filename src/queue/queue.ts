import type { Closable } from "../base/closable.ts";
import type { Gate, GateView } from "./gate.ts";
import type { Job } from "./job.ts";
import type { NamePage } from "./names.ts";
import type * as operation from "./operation.ts";
import type {
  BrowseQuery,
  ChangeListener,
  Connections,
  EndedQuery,
  Reconciled,
  StoreNow,
} from "./queue-store.ts";
import type { LogEntry, LogStats } from "./log-entry.ts";
import type { QueueStats } from "./stats.ts";
import type { Identity, Lease, LeaseRef, Task } from "./task.ts";
import type { Waiting } from "./waiting.ts";

/** What a kind's payload looks like. The default takes any JSON. */
export type Kinds = Readonly<Record<string, unknown>>;
type KindOf<K extends Kinds> = keyof K & string;

/**
 * A queue of tasks, the same on every backend.
 *
 * Calls of one turn of the event loop become one commit; a promise resolves after it. A call that
 * fails with an `unavailable` AppError may or may not have been applied, and is safe to repeat.
 * Input is checked before it joins a commit: a call that throws `invalid` wrote nothing and does
 * not disturb the others.
 *
 * `close()`, or the end of an `await using` block, waits for the answers to all calls and then
 * closes the store. Calls made later throw `queue_closed`. `retry`, `archive`, `purge`, `forgetKeys`
 * and `pruneLog` work in chunks: closing ends them after the present chunk with `queue_closed`.
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
  /** Ends tasks and answers what the queue decided about each. */
  finish(finishes: readonly FinishInput<K>[]): Promise<readonly operation.Finished[]>;
  /** Gives tasks back unharmed: the attempt is not counted. */
  release(releases: readonly operation.Release[]): Promise<readonly operation.Held[]>;
  /** Takes back expired leases; every claim does it too. */
  sweep(): Promise<operation.Swept>;

  /**
   * No claim gets a task of this gate until at least `forMs` after this call; 0 lifts the block. A
   * shorter block never shortens a longer one.
   */
  block(gate: string, forMs: number): Promise<GateView>;
  setGate(
    gate: string,
    settings: { readonly delayMs?: number; readonly limit?: number },
  ): Promise<GateView>;

  /**
   * Makes the job, or gives an open one these settings, all of them: a `concurrency`, `budget` or
   * `gate` that is left out is cleared, not kept. To change one, repeat the others.
   */
  openJob(job: string, settings?: JobInput): Promise<operation.JobAnswer>;
  /** From now on only the job's own running tasks may add to it; empty, it completes. */
  seal(job: string): Promise<operation.JobAnswer>;
  pause(job: string): Promise<operation.JobAnswer>;
  resume(job: string): Promise<operation.JobAnswer>;
  cancel(job: string): Promise<operation.JobAnswer>;

  raise(raises: readonly RaiseInput[]): Promise<readonly operation.Raised[]>;
  /** Makes failed (or skipped) tasks pending again, in chunks; returns how many. */
  retry(filter?: FinishedInput, onProgress?: (changed: number) => void): Promise<number>;
  /**
   * Moves finished tasks into the log, in chunks; returns how many. Their keys stay reserved: adding
   * one again is a duplicate, until `forgetKeys` frees it.
   */
  archive(filter: FinishedInput, onProgress?: (changed: number) => void): Promise<number>;
  /**
   * The same, and frees the keys, also those of tasks that were archived before. Only tasks that had
   * a row are counted.
   */
  purge(filter: FinishedInput, onProgress?: (changed: number) => void): Promise<number>;
  /** Frees reserved keys of archived tasks, in chunks; returns how many. */
  forgetKeys(filter: FinishedInput, onProgress?: (changed: number) => void): Promise<number>;
  /** Removes entries of tasks that finished before that moment from the log; returns how many. */
  pruneLog(finishedBeforeMs: number, onProgress?: (changed: number) => void): Promise<number>;

  /** The clock that the times of tasks and gates are written in. */
  now(): Promise<StoreNow>;
  stats(): Promise<QueueStats>;
  /** With why it waits and how long at least. undefined: never added, or purged. */
  show(id: number): Promise<Shown | undefined>;
  browse(query?: Partial<BrowseQuery>): Promise<readonly Task[]>;
  /** Finished tasks as they ended, oldest first. `after` takes the last task of the page before. */
  ended(query?: Partial<EndedQuery>): Promise<readonly Task[]>;
  /** The same with archived tasks, as entries of the log, which have no payload and no result. */
  log(query?: Partial<EndedQuery>): Promise<readonly LogEntry[]>;
  logStats(): Promise<LogStats>;
  /** In order of name. Without a limit all of them, read page by page. */
  jobs(page?: Partial<NamePage>): Promise<readonly Job[]>;
  job(name: string): Promise<Job | undefined>;
  gate(name: string): Promise<Gate | undefined>;
  /** Those that have tasks, in order of name. Without a limit all of them, read page by page. */
  gates(page?: Partial<NamePage>): Promise<readonly Gate[]>;
  wakeInMs(kinds: readonly string[], worker?: string): Promise<number | undefined>;
  watch(listener: ChangeListener): () => void;
  /** See QueueStore. */
  readonly netMs?: number;
  /** See QueueStore. */
  readonly gone?: Promise<never>;
  /** Of this process with the backend; undefined where there are none to count. */
  connections(): Connections | undefined;
  reconcile(options?: { readonly repair?: boolean }): Promise<Reconciled>;
}

export type TaskInput<K extends Kinds = Kinds> = {
  readonly [C in KindOf<K>]: PayloadInput<K[C]> & {
    readonly kind: C;
    readonly job?: string;
    readonly gate?: string;
    /** Left out, the task is never a duplicate. */
    readonly key?: string;
    /** 0–1000, default 500. */
    readonly priority?: number;
    /** At most one of the two: wall clock time, or from now. */
    readonly dueAtMs?: number;
    readonly delayMs?: number;
    /** Default 5. */
    readonly attemptsMax?: number;
  };
}[KindOf<K>];

/** Left out it is null, so only what may be null can be left out. */
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
  /** Repeat a claim whose answer was lost with the same one; default: a new one. */
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
  /** Since the last start of a task of this gate in this worker; fractions are welcome. */
  readonly sinceStartMs?: number;
  readonly add?: readonly TaskInput<K>[];
  readonly raise?: readonly RaiseInput[];
}

/** What is left out does not limit the job, whatever it had before. */
export interface JobInput {
  readonly concurrency?: number;
  readonly budget?: number;
  readonly gate?: string;
}

export interface RaiseInput extends Partial<Identity> {
  readonly key: string;
  readonly priority: number;
}

/** Default: the failed ones. */
export type FinishedInput = Partial<operation.FinishedFilter>;

export interface Shown {
  readonly task: Task;
  readonly worker: string | undefined;
  /** Present while pending. */
  readonly waiting: Waiting | undefined;
  readonly ageMs: number;
}
