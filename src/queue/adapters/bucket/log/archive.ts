import { AppError } from "../../../../base/app-error.ts";
import { createId } from "../../../../base/ids.ts";
import type { Random } from "../../../../base/random.ts";
import type { Bucket } from "../../../../bucket/index.ts";
import { identityOf } from "../../../model/shard.ts";
import type { Task } from "../../../task.ts";
import { readDoneLog, writeDoneLog } from "./done-log.ts";
import type { ShardHead, LogRef } from "../head/head.ts";

/**
 * The logs of one shard's finished tasks. A log is written once under a unique name and never
 * changes, so it is cached while a head lists it. A log counts only if a head lists it.
 */
export interface Archive {
  /** All logs that the head lists. Fetches those that are not cached. */
  load(head: ShardHead): Promise<readonly Log[]>;
  /** Writes a log that no head lists yet. */
  write(head: ShardHead, tasks: readonly Task[]): Promise<Log>;
  /** Removes logs that no head lists any more. */
  remove(names: readonly string[]): Promise<void>;
}

export interface Log extends LogRef {
  readonly tasksById: ReadonlyMap<number, Task>;
  readonly idsByIdentity: ReadonlyMap<string, number>;
}

export interface ArchiveOptions {
  readonly bucket: Bucket;
  readonly random: Random;
  /** The shard's folder, ending with a slash. */
  readonly folder: string;
}

export function createArchive({ bucket, random, folder }: ArchiveOptions): Archive {
  let known = new Map<string, Log>();
  /** Logs written by this process that, as far as it knows, no head lists. */
  const own = new Map<string, Log>();

  const fetchLog = async ({ name }: LogRef): Promise<Log> => {
    const key = `${folder}${name}`;
    const got = await bucket.get(key);
    if (got.status === "found") return logOf(name, readDoneLog(got.body, key));
    throw missingLog(key);
  };

  return {
    async load({ logs }) {
      const from = async (ref: LogRef) => known.get(ref.name) ?? own.get(ref.name) ?? fetchLog(ref);
      const found = await Promise.all(logs.map(from));
      known = new Map(found.map((log) => [log.name, log]));
      for (const name of known.keys()) own.delete(name);
      return found;
    },
    async write({ version }, tasks) {
      const name = `${String(version).padStart(12, "0")}-${createId(random, 10)}.usv`;
      await bucket.put(`${folder}${name}`, writeDoneLog(tasks));
      const log = logOf(name, tasks);
      own.set(name, log);
      return log;
    },
    async remove(names) {
      for (const name of names) own.delete(name);
      await Promise.all(names.map((name) => bucket.delete(`${folder}${name}`)));
    },
  };
}

const logOf = (name: string, tasks: readonly Task[]): Log => ({
  name,
  tasks: tasks.length,
  tasksById: new Map(tasks.map((task) => [task.id, task])),
  idsByIdentity: new Map(tasks.map((task) => [identityOf(task), task.id])),
});

export interface MissingLogError extends AppError {
  readonly logName: string;
}

export function missingLog(key: string): MissingLogError {
  const error = new AppError(
    "corrupt",
    "queue_log_missing",
    `${key} is listed but not there: finished tasks were deleted behind the queue's back. ` +
      `Put it back, if the store keeps older versions`,
  );
  return Object.assign(error, { logName: key.slice(key.lastIndexOf("/") + 1) });
}

export const isLogMissing = (error: unknown): error is MissingLogError =>
  error instanceof AppError && error.code === "queue_log_missing";

/** Maximum tasks of one log. Merging keeps the number of logs logarithmic in the number of tasks. */
const logTasksMax = 20_000;
const absorbedMin = 4;

/** Merges logs of similar size, so that each task is rewritten only a few times. */
export function firstAbsorbed(logs: readonly LogRef[], moved: number): number {
  let count = moved;
  let first = logs.length;
  for (;;) {
    let from = first;
    let sum = 0;
    while (from > 0 && logs[from - 1]!.tasks <= count * 2) sum += logs[--from]!.tasks;
    if (first - from < absorbedMin || count + sum > logTasksMax) return first;
    first = from;
    count += sum;
  }
}
