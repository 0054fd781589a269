import type { Task } from "../../../task.ts";

/** A finished task, and the log that contains it. The newest ones are still in the shard. */
export interface DoneEntry {
  readonly shard: number;
  /** undefined while it is still in the shard. */
  readonly log: string | undefined;
  readonly task: Task;
}
