import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { systemClock } from "../../../../base/clock.ts";
import { createSeededRandom, systemRandom } from "../../../../base/random.ts";
import { createQueue } from "../../../create-queue.ts";
import type { Operation } from "../../../operation.ts";
import type { Queue } from "../../../queue.ts";
import type { QueueStore } from "../../../queue-store.ts";
import { openSqliteQueueStore, type SqliteQueueStoreOptions } from "../sqlite-queue-store.ts";

export const queueOf = (store: QueueStore): Queue =>
  createQueue({ store, clock: systemClock, random: systemRandom });

/** Without a sync for each commit, unless it is asked for: most tests are not about power cuts. */
export const openSqliteQueue = (options: SqliteQueueStoreOptions): Queue =>
  queueOf(openSqliteQueueStore({ durability: "normal", ...options }));

/** Makes a queue of `count` tasks, "t0", "t1", …, and closes it. */
export async function makeQueue(file: string, count: number): Promise<void> {
  await using queue = openSqliteQueue({ file });
  const tasks = Array.from({ length: count }, (_, index) => ({
    kind: "work",
    key: `t${index}`,
    payload: { url: `https://example.org/${index}` },
  }));
  await queue.add(tasks);
}

/** Adds one task of kind "work", as the queue in front of a store would. */
export const addOne = (key: string): Operation => ({
  op: "add",
  tasks: [
    {
      kind: "work",
      job: "default",
      gate: "",
      key,
      payload: "null",
      priority: 500,
      dueAtMs: 0,
      attemptsMax: 3,
    },
  ],
});

/** Overwrites part of a file, in fractions of its length, with bytes that mean nothing. */
export function damage(file: string, from: number, to: number): void {
  const size = statSync(file).size;
  const start = Math.floor(size * from);
  const bytes = createSeededRandom(7).bytes(Math.floor(size * to) - start);
  const handle = openSync(file, "r+");
  try {
    writeSync(handle, bytes, 0, bytes.length, start);
  } finally {
    closeSync(handle);
  }
}
