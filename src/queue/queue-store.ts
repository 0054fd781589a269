import type { QueueCounts } from "./counts.ts";
import type { Gate } from "./gate.ts";
import type { Job } from "./job.ts";
import type { LogEntry, LogStats } from "./log-entry.ts";
import type { NamePage } from "./names.ts";
import type { Operation, Outcomes } from "./operation.ts";
import type { Task, TaskState, TerminalState } from "./task.ts";

/**
 * Where tasks live. One store per backend, and every one passes `queueSuite`. Throughout:
 * - an operation is applied whole or not at all, whoever else is calling, from whichever process;
 * - "now" is the store's clock, read through the one hook that tests can shift;
 * - no wait is shorter than asked, not even by a fraction of a millisecond: a block, a lease or a
 *   retry's delay lasts at least its whole time after the call of `commit` that asks for it, and a
 *   gate's delay after the last start. See `ModelNow` for how moments are rounded;
 * - what `commit` answered is durable; when it throws, every operation may be repeated;
 * - a backend that fails throws AppError (`unavailable`, `corrupt`); no driver error escapes;
 * - input was validated by the queue in front of it.
 */
export interface QueueStore extends AsyncDisposable {
  /** Applies the operations in order as one commit. Refused ones answer with an AppError. */
  commit(operations: readonly Operation[]): Promise<Outcomes>;
  /**
   * Whether this may be under way beside others of which this is true too: nobody can tell in
   * which order they were applied. Absent: never.
   */
  overlaps?(operation: Operation): boolean;

  /** The store's own clock, which the times of its tasks and gates are written in. */
  now(): Promise<StoreNow>;
  /**
   * How many tasks there are and what they wait for, at one moment. Reads the counters of lanes and
   * no more of the tasks than the oldest of each; one statement where the backend has statements.
   * Does not block the event loop, however many lanes there are.
   */
  counts(): Promise<QueueCounts>;
  /** undefined: never added, or purged. */
  task(id: number): Promise<TaskView | undefined>;
  /**
   * In order of id, `after` excluded. However few tasks match, no statement looks at more than a
   * bounded number of them; a rare match takes many statements.
   */
  browse(query: BrowseQuery): Promise<readonly Task[]>;
  /** Finished tasks in the order in which they ended, those of one moment by id. */
  ended(query: EndedQuery): Promise<readonly Task[]>;
  /** Entries of the log in the same order: tasks whose row is gone, until the log is pruned. */
  log(query: EndedQuery): Promise<readonly LogEntry[]>;
  logStats(): Promise<LogStats>;
  job(name: string): Promise<Job | undefined>;
  gate(name: string): Promise<Gate | undefined>;
  /** In order of name. */
  jobs(page: NamePage): Promise<readonly Job[]>;
  /** Those that have tasks, in order of name. */
  gates(page: NamePage): Promise<readonly Gate[]>;

  /**
   * How long until something can become claimable without anyone writing: a due time, an opening
   * gate, an expiring lease. 0 when something is claimable now, undefined when nothing waits. A
   * suspect counts for a worker that is named and holds nothing, since only such a one gets it.
   */
  wakeInMs(kinds: readonly string[], worker?: string): Promise<number | undefined>;
  /** Calls back soon after anyone, in any process, may have made work claimable. May be spurious. */
  watch(listener: ChangeListener): () => void;
  /**
   * How soon it is looked again though nothing was heard, as a net under notifications; absent: each
   * half minute. Longer where a look is a request that is paid for, and `watch` looks by itself.
   */
  readonly netMs?: number;

  /**
   * Rejects when what was opened is gone for good, such as a file that somebody deleted: every call
   * fails with the same error then. Never resolves. Absent: nothing like that can be noticed.
   */
  readonly gone?: Promise<never>;

  /** Of this process with the backend, where it keeps some open. */
  connections?(): Connections;

  /** Recounts everything from the tasks alone and reports what the counters said otherwise. */
  reconcile(options: { readonly repair: boolean }): Promise<Reconciled>;
}

/**
 * `isNews`: tasks were added just now, as the store knows without looking. Where a look costs about
 * as much as a claim, a store says so, and whoever waits for work claims at once.
 */
export type ChangeListener = (isNews?: boolean) => void;

export interface Connections {
  readonly max: number;
  readonly active: number;
  readonly idle: number;
  /** Calls that wait for one. */
  readonly waiting: number;
}

/**
 * The store's clock in whole milliseconds, rounded down: `ms` never steps, `wallMs` is what people
 * and `dueAtMs` mean. The hook of a test may give fractions.
 */
export interface StoreNow {
  readonly ms: number;
  readonly wallMs: number;
}

export interface TaskView {
  readonly now: StoreNow;
  readonly task: Task;
  readonly gate: Gate | undefined;
  readonly job: Job;
  /** Who holds it, while it runs. */
  readonly worker: string | undefined;
}

export interface BrowseQuery {
  readonly states?: readonly TaskState[];
  readonly kind?: string;
  readonly job?: string;
  readonly gate?: string;
  readonly keyPrefix?: string;
  /** In the payload, as it is written. */
  readonly text?: string;
  readonly afterId: number;
  readonly limit: number;
}

export interface EndedQuery {
  readonly states: readonly TerminalState[];
  readonly kind?: string;
  readonly job?: string;
  readonly gate?: string;
  /** The last task of the page before; absent: begin with the first, or with the last. */
  readonly after?: EndedCursor;
  /** Reverses the order. */
  readonly isNewestFirst: boolean;
  readonly limit: number;
}

/** A place in the order in which tasks ended. */
export type EndedCursor = Pick<Task, "finishedAtMs" | "id">;

export interface Reconciled {
  /** What a counter said and what the rows say, for each that differed. */
  readonly drift: readonly Drift[];
  /** Tasks that belong to nothing, or wait in a job that has ended. */
  readonly orphans: number;
  readonly repaired: boolean;
}

export interface Drift {
  readonly counter: string;
  readonly counted: number;
  readonly actual: number;
}
