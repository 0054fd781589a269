import type { QueueCounts } from "./read/counts.ts";
import type { Gate } from "./gate.ts";
import type { Job } from "./job.ts";
import type { LogEntry, LogStats } from "./read/log-entry.ts";
import type { NamePage } from "./names.ts";
import type { Operation, Outcomes } from "./operation.ts";
import type { Task, TaskState, TerminalState } from "./task.ts";

/**
 * Stores the tasks. Each backend has one implementation, which passes `queueSuite`. Rules:
 * - an operation is applied completely or not at all, also with concurrent calls of other processes;
 * - "now" is the store's clock; tests can shift it with a hook;
 * - no wait is shorter than requested, not even by a fraction of a millisecond: a block, a lease or
 *   the delay of a retry counts from the `commit` call that requests it, the delay of a gate from
 *   the last start. See `ModelNow` for how times are rounded;
 * - when `commit` returns, its operations are durable; when it throws, each may be repeated;
 * - a failing backend throws AppError (`unavailable`, `corrupt`), never a driver error;
 * - `Queue` validates the input before it calls the store.
 */
export interface QueueStore extends AsyncDisposable {
  /** Applies the operations in order as one commit. The answer to a refused one is an AppError. */
  commit(operations: readonly Operation[]): Promise<Outcomes>;
  /**
   * True if this operation may run concurrently with all others for which this is true, because
   * no caller can observe their order. Absent: no operation may.
   */
  overlaps?(operation: Operation): boolean;

  /** The store's clock. All times of its tasks and gates are readings of this clock. */
  now(): Promise<StoreNow>;
  /**
   * A consistent snapshot of how many tasks there are and what they wait for. Reads the counters of
   * the lanes and the oldest task of each, in one statement if the backend is a database. Does not
   * block the event loop, however many lanes there are.
   */
  counts(): Promise<QueueCounts>;
  /** undefined: it was never added, or has no row any more. */
  task(id: number): Promise<TaskView | undefined>;
  /**
   * In order of id, starting after `afterId`. Each statement reads a bounded number of tasks, so
   * a filter that few tasks match needs many statements.
   */
  browse(query: BrowseQuery): Promise<readonly Task[]>;
  /** Finished tasks in the order in which they ended; if the times are equal, by id. */
  ended(query: EndedQuery): Promise<readonly Task[]>;
  /** Log entries, in the same order: tasks that no longer have a row. */
  log(query: EndedQuery): Promise<readonly LogEntry[]>;
  /** An archived task; undefined if the log has no such entry. */
  logEntry(id: number): Promise<LogEntry | undefined>;
  logStats(): Promise<LogStats>;
  job(name: string): Promise<Job | undefined>;
  gate(name: string): Promise<Gate | undefined>;
  /** In order of name. */
  jobs(page: NamePage): Promise<readonly Job[]>;
  /** Gates that have tasks, in order of name. */
  gates(page: NamePage): Promise<readonly Gate[]>;

  /**
   * Time until a task can become claimable without a write: when a task becomes due, a gate opens
   * or a lease expires. 0: a task is claimable now; undefined: no task waits. A suspect counts only
   * if `worker` is given and holds no task, because only such a worker gets it.
   */
  wakeInMs(kinds: readonly string[], worker?: string): Promise<number | undefined>;
  /** Calls back soon after any process may have made a task claimable. May be spurious. */
  watch(listener: ChangeListener): () => void;
  /**
   * Polling interval that covers lost notifications; absent: 30 seconds. A store sets a longer one
   * if each poll is a paid request and its `watch` polls by itself.
   */
  readonly netMs?: number;

  /** True: it holds a limited number of tasks, beyond which `add` answers `full`. */
  readonly hasTaskLimit?: boolean;

  /**
   * Rejects when the store is permanently gone, for instance because its file was deleted. From
   * then on every call fails with the same error. Never resolves. Absent: the store cannot detect
   * this.
   */
  readonly gone?: Promise<never>;

  /** Connections of this process to the backend. Absent: the backend has none. */
  connections?(): Connections;

  /** Figures about the backend's server, for the node. Absent: there is no server. */
  server?(): Promise<ServerFigures | undefined>;

  /** The versions of the program that can use the queue. Reads the backend. */
  format(): Promise<QueueFormat>;
  /**
   * Makes the queue one of this version alone: `readableBy` becomes `format`, and versions that only
   * read lower numbers are refused from then on. Does nothing if that was done before.
   */
  finishUpgrade(): Promise<QueueFormat>;

  /** Recounts everything from the tasks and reports the counters that differ. */
  reconcile(options: { readonly repair: boolean }): Promise<Reconciled>;
}

/**
 * The code of the answer to a `purge` that must wait for the end of an upgrade; nothing was
 * changed.
 */
export const upgradeUnfinishedCode = "queue_upgrade_unfinished";

/** The numbers of the backend's format: see `formats`. */
export interface QueueFormat {
  readonly format: number;
  /**
   * The lowest number that a version must know to use the queue. Lower than `format` during an
   * upgrade.
   */
  readonly readableBy: number;
}

/**
 * `isNews`: tasks were just added, and the store knows this without a read. A store sets it if
 * `wakeInMs` costs about as much as a claim; a waiting worker then claims at once.
 */
export type ChangeListener = (isNews?: boolean) => void;

export interface Connections {
  readonly max: number;
  readonly active: number;
  readonly idle: number;
  /** Calls that wait for a connection. */
  readonly waiting: number;
}

export interface ServerFigures {
  /** The number of connections of all clients of the server. */
  readonly connectionsUsed: number;
  readonly connectionsMax: number;
  readonly databaseBytes: number;
  /** The number of rows that were changed or deleted, and not cleaned up yet. */
  readonly deadRows: number;
  /** 0 to 1: the share of reads that were answered from memory. */
  readonly cacheHitShare: number;
  readonly longestTransactionMs: number;
}

/**
 * The store's clock in whole milliseconds, rounded down. `ms` never jumps; `wallMs` is wall clock
 * time, as used by `dueAtMs`. The hook of a test may return fractions.
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
  /** The worker that holds the lease, while the task runs. */
  readonly worker: string | undefined;
}

export interface BrowseQuery {
  readonly states?: readonly TaskState[];
  readonly kind?: string;
  readonly job?: string;
  readonly gate?: string;
  readonly keyPrefix?: string;
  /** The JSON text of the payload contains this. */
  readonly text?: string;
  readonly afterId: number;
  readonly limit: number;
}

export interface EndedQuery {
  readonly states: readonly TerminalState[];
  readonly kind?: string;
  readonly job?: string;
  readonly gate?: string;
  /** The last task of the previous page. Absent: start at the beginning of the order. */
  readonly after?: EndedCursor;
  /** Reverses the order. */
  readonly isNewestFirst: boolean;
  readonly limit: number;
}

/** A position in the order in which tasks ended. */
export type EndedCursor = Pick<Task, "finishedAtMs" | "id">;

export interface Reconciled {
  /** The counters that differed from the rows. */
  readonly drift: readonly CounterDrift[];
  /** Tasks whose job, lane, gate or claim is missing, or that wait in a job that has ended. */
  readonly orphans: number;
  readonly repaired: boolean;
}

export interface CounterDrift {
  readonly counter: string;
  readonly counted: number;
  readonly actual: number;
}
