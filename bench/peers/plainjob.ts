/**
 * plainjob 0.0.14: a queue in one SQLite file, one job at a time per worker by design. It sets
 * WAL and synchronous = NORMAL by itself. It has no unique keys, so its enqueue does less than
 * ours. The driver is our own better-sqlite3, so that both sides use the same build of SQLite.
 */
import { strictEqual } from "node:assert/strict";
import { join } from "node:path";
import Database from "better-sqlite3";
import { better, defineQueue, defineWorker } from "plainjob";
import type { Side, SideContext } from "../frame/side.ts";
import { inBatches, pageUrl } from "../pages.ts";

const type = "noop";
const status = { pending: 0, processing: 1, done: 2 };
const quiet = { error: console.error, warn: console.warn, info() {}, debug() {} };

export interface PlainjobInput {
  readonly jobs: number;
  /** How many go into one addMany. */
  readonly batch: number;
}

/** Measures adding `jobs` jobs with a URL each. */
export const enqueue: Side<PlainjobInput> = async (input, context) => {
  const { queue } = open(context);
  const batches = payloadBatches(input);
  return {
    async run() {
      for (const batch of batches) queue.addMany(type, batch);
    },
    async check() {
      strictEqual(queue.countJobs({ status: status.pending }), input.jobs, "jobs stored");
    },
  };
};

/** Measures running `jobs` jobs that do nothing, from the first claim until all are stored as done. */
export const drain: Side<PlainjobInput> = async (input, context) => {
  const { queue, database } = open(context);
  for (const batch of payloadBatches(input)) queue.addMany(type, batch);
  database.pragma("wal_checkpoint(TRUNCATE)"); // the backlog's pages are not the drain's work
  let handled = 0;
  return {
    run: () =>
      new Promise((resolve, reject) => {
        let completed = 0;
        const handler = async () => void handled++;
        const onCompleted = () => {
          if (++completed === input.jobs) resolve();
        };
        const worker = defineWorker(type, handler, { queue, logger: quiet, onCompleted });
        worker.start().catch(reject);
      }),
    async check() {
      strictEqual(queue.countJobs({ status: status.pending }), 0, "jobs still pending");
      strictEqual(queue.countJobs({ status: status.processing }), 0, "jobs still processing");
      strictEqual(queue.countJobs({ status: status.done }), input.jobs, "jobs stored as done");
      strictEqual(handled, input.jobs, "calls of the handler");
    },
  };
};

function open({ folder }: SideContext) {
  const database = new Database(join(folder, "plainjob.db"));
  return { database, queue: defineQueue({ connection: better(database), logger: quiet }) };
}

const payloadBatches = ({ jobs, batch }: PlainjobInput) =>
  inBatches(
    Array.from({ length: jobs }, (_, index) => ({ url: pageUrl(index) })),
    batch,
  );
