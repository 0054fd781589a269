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

/** Without a sync for each commit by default, because most tests are not about power cuts. */
export const openSqliteQueue = (options: SqliteQueueStoreOptions): Queue =>
  queueOf(openSqliteQueueStore({ durability: "normal", ...options }));

/** Creates a queue of `count` tasks, "t0", "t1", …, and closes it. */
export async function makeQueue(file: string, count: number): Promise<void> {
  await using queue = openSqliteQueue({ file });
  const tasks = Array.from({ length: count }, (_, index) => ({
    kind: "work",
    key: `t${index}`,
    payload: { url: `https://example.org/${index}` },
  }));
  await queue.add(tasks);
}

/** Adds one task of kind "work", as `Queue` would do it. */
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

/** Overwrites part of a file with garbage; `from` and `to` are fractions of its length. */
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
