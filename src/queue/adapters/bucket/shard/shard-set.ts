import type { QueueCounts } from "../../../read/counts.ts";
import type { Gate } from "../../../gate.ts";
import type { Job } from "../../../job.ts";
import type { LogEntry, LogStats } from "../../../read/log-entry.ts";
import type { NamePage } from "../../../names.ts";
import type { Operation, Outcomes } from "../../../operation.ts";
import type { BrowseQuery, EndedQuery, Reconciled, TaskView } from "../../../queue-store.ts";
import type { Task } from "../../../task.ts";
import type { DoneEntry } from "../log/done-entry.ts";
import type { ShardHead } from "../head/head.ts";

/** The shards of one queue, one or many, as the queue store uses them. */
export interface ShardSet {
  commit(operations: readonly Operation[]): Promise<SetCommitted>;
  counts(): Promise<QueueCounts>;
  task(id: number): Promise<TaskView | undefined>;
  browse(query: BrowseQuery): Promise<readonly Task[]>;
  ended(query: EndedQuery): Promise<readonly Task[]>;
  log(query: EndedQuery): Promise<readonly LogEntry[]>;
  logEntry(id: number): Promise<LogEntry | undefined>;
  logStats(): Promise<LogStats>;
  job(name: string): Promise<Job | undefined>;
  gate(name: string): Promise<Gate | undefined>;
  jobs(page: NamePage): Promise<readonly Job[]>;
  gates(page: NamePage): Promise<readonly Gate[]>;
  wakeInMs(kinds: readonly string[], worker: string | undefined): Promise<number | undefined>;
  reconcile(repair: boolean): Promise<Reconciled>;
  doneLog(): AsyncIterable<DoneEntry>;
  /**
   * Whether another process may have changed something. Costs one or two requests, regardless of
   * the number of shards. Costs nothing with a hint if the listeners read all shards anyway.
   */
  look(isHinted: boolean): Promise<boolean>;
  /** The time of the latest known commit. */
  seenAtMs(): number;
  end(): Promise<void>;
}

export interface SetCommitted {
  readonly answers: Outcomes;
  /** The heads after the commit. */
  readonly heads: readonly ShardHead[];
  readonly purged: readonly Task[];
}
