import type { Database } from "better-sqlite3";
import { browseInSteps, endedInSteps, gatesInSteps } from "../../../in-steps.ts";
import type { QueueStore, StoreNow } from "../../../queue-store.ts";
import { endedStep, logEntry, logStats, logStep } from "../write/ended.ts";
import { browseStep, readGate, readGates, readJob, readJobs, viewTask } from "./read.ts";

/** Rows that one step of a list reads: SQLite blocks the event loop meanwhile. */
const stepRows = 500;

export type StoreReads = Pick<
  QueueStore,
  "task" | "browse" | "ended" | "log" | "logEntry" | "logStats" | "job" | "gate" | "jobs" | "gates"
>;

/** The reads of the store. `read` runs its argument in one transaction. */
export const storeReads = (
  db: Database,
  read: <T>(work: (at: StoreNow) => T) => Promise<T>,
): StoreReads => ({
  task: async (id) => read((at) => viewTask(db, id, at)),
  browse: (query) =>
    browseInSteps(query, stepRows, (part, rows) => read(() => browseStep(db, part, rows))),
  ended: (query) =>
    endedInSteps(query, stepRows, (part, rows) => read(() => endedStep(db, part, rows))),
  log: (query) =>
    endedInSteps(query, stepRows, (part, rows) => read(() => logStep(db, part, rows))),
  logEntry: async (id) => read(() => logEntry(db, id)),
  logStats: async () => read(() => logStats(db)),
  job: async (name) => read(() => readJob(db, name)),
  gate: async (name) => read(() => readGate(db, name)),
  jobs: async (page) => read(() => readJobs(db, page)),
  gates: (page) => gatesInSteps(page, stepRows, (part) => read(() => readGates(db, part))),
});
