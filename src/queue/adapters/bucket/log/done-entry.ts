import type { Task } from "../../../task.ts";

/** A finished task, and where it is: its log, or the shard itself for those that ended last. */
export interface DoneEntry {
  readonly shard: number;
  /** undefined while it is still in the shard. */
  readonly log: string | undefined;
  readonly task: Task;
}
