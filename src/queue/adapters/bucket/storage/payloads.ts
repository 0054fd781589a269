import { AppError } from "../../../../base/app-error.ts";
import { createId } from "../../../../base/ids.ts";
import type { Random } from "../../../../base/random.ts";
import { isUnavailable, type Bucket } from "../../../../bucket/index.ts";
import type { Operation } from "../../../operation.ts";
import type { NewTask, Task } from "../../../task.ts";
import type { ShardHead } from "../head/head.ts";

/**
 * Stores long payloads as objects of their own, so that a head stays small. Each is written once,
 * under a unique name, before the head that refers to it. In the model such a payload is a
 * reference, which cannot be confused with JSON text.
 */
export interface Payloads {
  /** Writes the long payloads of new tasks; the returned operations refer to them. */
  stow(operations: readonly Operation[]): Promise<Stowed>;
  /** Removes payloads of tasks that the queue did not accept. */
  removeUnused(stowed: Stowed, heads: readonly ShardHead[]): Promise<void>;
  resolve(payload: string): Promise<string>;
  remove(tasks: Iterable<Pick<Task, "payload">>): Promise<void>;
}

export interface Stowed {
  readonly operations: readonly Operation[];
  readonly references: readonly string[];
}

const inlineBytesMax = 1_024;
const mark = "\u0000payload:";
/** Recently used payloads, so that a worker that adds and claims does not fetch its own. */
const cachedMax = 512;
const cachedBytesMax = 8 * 2 ** 20;

export interface PayloadsOptions {
  readonly bucket: Bucket;
  readonly random: Random;
  /** Ends with a slash. */
  readonly folder: string;
}

export function createPayloads({ bucket, random, folder }: PayloadsOptions): Payloads {
  const cache = new Map<string, string>();
  let cachedBytes = 0;

  const keep = (reference: string, payload: string) => {
    cache.set(reference, payload);
    cachedBytes += payload.length;
    for (const [oldest, text] of cache) {
      if (cache.size <= cachedMax && cachedBytes <= cachedBytesMax) break;
      cache.delete(oldest);
      cachedBytes -= text.length;
    }
  };
  const keyOf = (reference: string) => folder + reference.slice(mark.length);

  const removeAll = async (references: Iterable<string>) => {
    try {
      for (const reference of references) await bucket.delete(keyOf(reference));
    } catch (error) {
      // An unused payload only costs space.
      if (!isUnavailable(error)) throw error;
    }
  };

  const stowTask = async (task: NewTask, references: string[]): Promise<NewTask> => {
    if (!isLong(task.payload)) return task;
    const reference = `${mark}${createId(random)}`;
    await bucket.putIfAbsent(keyOf(reference), Buffer.from(task.payload));
    references.push(reference);
    keep(reference, task.payload);
    return { ...task, payload: reference };
  };
  const stowTasks = async (tasks: readonly NewTask[], references: string[]) => {
    const stowed: NewTask[] = [];
    for (const task of tasks) stowed.push(await stowTask(task, references));
    return stowed;
  };

  return {
    async stow(operations) {
      if (!newTasks(operations).some(({ payload }) => isLong(payload))) {
        return { operations, references: [] };
      }
      const references: string[] = [];
      const stowed: Operation[] = [];
      for (const operation of operations) {
        if (operation.op === "add") {
          stowed.push({ ...operation, tasks: await stowTasks(operation.tasks, references) });
        } else if (operation.op === "finish") {
          const finishes = [];
          for (const { add, ...finish } of operation.finishes) {
            finishes.push(add ? { ...finish, add: await stowTasks(add, references) } : finish);
          }
          stowed.push({ ...operation, finishes });
        } else stowed.push(operation);
      }
      return { operations: stowed, references };
    },
    async removeUnused({ references }, heads) {
      if (references.length === 0) return;
      const stored = heads.flatMap(({ shard }) => [...shard.tasks.values()]);
      const used = new Set(stored.map(({ payload }) => payload));
      await removeAll(references.filter((reference) => !used.has(reference)));
    },
    async resolve(payload) {
      if (!payload.startsWith(mark)) return payload;
      const known = cache.get(payload);
      if (known !== undefined) return known;
      const got = await bucket.get(keyOf(payload));
      if (got.status !== "found") throw missing(keyOf(payload));
      const text = Buffer.from(got.body).toString();
      keep(payload, text);
      return text;
    },
    remove: (tasks) =>
      removeAll(Array.from(tasks, ({ payload }) => payload).filter((one) => one.startsWith(mark))),
  };
}

/** Most texts are so short that their bytes need not be counted. */
const isLong = (payload: string) =>
  payload.length > inlineBytesMax / 4 && Buffer.byteLength(payload) > inlineBytesMax;

const newTasks = (operations: readonly Operation[]): readonly NewTask[] =>
  operations.flatMap((operation) => {
    if (operation.op === "add") return operation.tasks;
    if (operation.op !== "finish") return [];
    return operation.finishes.flatMap(({ add = [] }) => add);
  });

const missing = (key: string) =>
  new AppError(
    "corrupt",
    "queue_payload_missing",
    `${key}, the payload of a task, is not there: it was deleted behind the queue's back. Put it ` +
      `back, if the store keeps older versions`,
  );
