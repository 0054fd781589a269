import type { Operation, Outcomes } from "../../../operation.ts";
import type { QueueStore, Reconciled } from "../../../queue-store.ts";
import type { Task } from "../../../task.ts";
import type { DoneEntry } from "../log/done-entry.ts";
import type { ShardHead } from "../head/head.ts";

/** Reads work on the shards as they do on the queue. */
type QueueReads = Pick<
  QueueStore,
  | "counts"
  | "task"
  | "browse"
  | "ended"
  | "log"
  | "logEntry"
  | "logStats"
  | "job"
  | "gate"
  | "jobs"
  | "gates"
  | "wakeInMs"
>;

/** The shards of one queue, one or many, as the queue store uses them. */
export interface ShardSet extends QueueReads {
  commit(operations: readonly Operation[]): Promise<SetCommitted>;
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
