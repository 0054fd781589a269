import type { Database } from "better-sqlite3";
import { existsSync } from "node:fs";
import { AppError } from "../../../base/app-error.ts";
import { sleep, systemClock, type Clock } from "../../../base/clock.ts";
import { rememberFile } from "../../../base/files/opened-file.ts";
import type { QueueCounts } from "../../read/counts.ts";
import { completion } from "../../job.ts";
import { exactNow, storeNow, type ModelNow } from "../../model/now.ts";
import type { Answer, Operation } from "../../operation.ts";
import type { QueueStore, StoreNow } from "../../queue-store.ts";
import { add } from "./write/add.ts";
import { createChangeWatch } from "./connection/change-watch.ts";
import { claim } from "./claim/claim.ts";
import { countAtOnce, createCountsReader } from "./read/read-counts.ts";
import { createFileGuard } from "./connection/file-guard.ts";
import { finish } from "./write/finish.ts";
import {
  closeDatabase,
  finishUpgrade,
  inTransaction,
  whileOpening,
  openDatabase,
  readFormat,
  realFile,
  type Durability,
} from "./connection/open-database.ts";
import { promote } from "./claim/promote.ts";
import { forgetKeys, pruneLog } from "./write/prune.ts";
import { readNumber, wakeInMs } from "./read/read.ts";
import { reconcile } from "./write/reconcile.ts";
import { applyToSlice } from "./write/save-slice.ts";
import { translateError } from "./connection/sqlite-error.ts";
import { createStoreClock } from "./connection/store-clock.ts";
import { storeReads } from "./read/store-reads.ts";
import { sweep, markCompleteJobs } from "./write/sweep.ts";
import { createUnitStore, type Unit } from "./write/unit.ts";

export interface SqliteQueueStoreOptions {
  readonly file: string;
  readonly durability?: Durability;
  readonly clock?: Clock;
  /** Replaces the store's clock, for tests that shift it. */
  readonly now?: () => StoreNow;
  /** How long a commit waits for transactions of other processes. */
  readonly busyMs?: number;
}

/**
 * A queue in one SQLite file, for the processes of one machine. One connection writes. All
 * operations of a commit are one `begin immediate` transaction.
 */
export function openSqliteQueueStore(options: SqliteQueueStoreOptions): QueueStore {
  const { file, durability = "full", clock = systemClock, busyMs = 30_000 } = options;
  const translated = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw translateError(error, file);
    }
  };
  const before = existsSync(file) ? rememberFile(file) : undefined;
  const db: Database = translated(() => openDatabase(file, durability));
  const { now: given } = options;
  const now = given ? () => exactNow(given()) : translated(() => startClock(db, clock));
  const units = createUnitStore(db);
  const changes = createChangeWatch({ db, file, clock });
  const guard = db.memory
    ? undefined
    : createFileGuard({
        file,
        realFile: realFile(file),
        before,
        clock,
        onLost: () => changes.notify(), // waiting workers then call the queue and get the error
      });

  /**
   * Waits in small steps until other processes release the file, so that the event loop is not
   * blocked.
   */
  async function whenFree<T>(work: () => T): Promise<T> {
    const deadlineMs = clock.monotonicMs() + busyMs;
    for (;;) {
      guard?.checkKnown();
      try {
        return translated(work);
      } catch (error) {
        guard?.check(); // a lost file explains any error of SQLite
        const isBusy = error instanceof AppError && error.code === "queue_busy";
        if (!isBusy || clock.monotonicMs() > deadlineMs) throw error;
      }
      // Transactions of other processes take a few milliseconds; a longer wait would leave the file
      // idle.
      await sleep(clock, 1);
    }
  }

  /** A read sees one moment, even if it needs several statements. */
  const read = <T>(work: (at: StoreNow) => T): Promise<T> =>
    whenFree(() => db.transaction(() => work(storeNow(now())))());

  /**
   * After the wall clock went back, some ready tasks are not due any more: readers must see that.
   */
  async function settle(): Promise<void> {
    const isBehind = await read((at) => readNumber(db, "readyDueMs") > at.wallMs);
    if (isBehind) await whenFree(() => units.run(now, promote));
  }

  const reader = db.memory ? undefined : createCountsReader(realFile(file));
  /** The reader does one thing at a time. */
  let counting: Promise<unknown> = Promise.resolve();
  async function count(): Promise<QueueCounts> {
    const begin = (at: StoreNow) =>
      whenFree(() => (reader ? reader.begin(at) : countAtOnce(db, at)));
    let begun = await begin(storeNow(now()));
    if (begun.wentBack) {
      begun.abandon();
      await settle();
      begun = await begin(storeNow(now()));
    }
    try {
      return await begun.finish();
    } catch (error) {
      guard?.check();
      throw translateError(error, file);
    }
  }

  return {
    async commit(operations) {
      const answers = await whenFree(() => units.run(now, (unit) => applyAll(unit, operations)));
      guard?.check(); // only now is it certain that the file of that name has the commit
      changes.notify();
      return answers;
    },
    async now() {
      guard?.check();
      return storeNow(now());
    },
    counts: () => {
      const mine = counting.then(count);
      counting = mine.catch(() => {});
      return mine;
    },
    ...storeReads(db, read),
    async wakeInMs(kinds, worker) {
      await settle();
      return read((at) => wakeInMs(db, { kinds, worker }, at));
    },
    watch: (listener) => changes.watch(listener),
    format: () => read(() => readFormat(db)),
    finishUpgrade: () => whenFree(() => finishUpgrade(db)),
    reconcile: async ({ repair }) =>
      whenFree(() => units.run(now, (unit) => recount(unit, repair))),
    ...(guard && { gone: guard.gone }),
    async [Symbol.asyncDispose]() {
      changes.close();
      guard?.[Symbol.dispose]();
      await counting;
      reader?.[Symbol.dispose]();
      translated(() => closeDatabase(db, { isLost: guard?.isLost() ?? false }));
    },
  };
}

function startClock(db: Database, clock: Clock): () => ModelNow {
  try {
    return whileOpening(db, () => inTransaction(db, () => createStoreClock(db, clock)));
  } catch (error) {
    closeDatabase(db);
    throw error;
  }
}

function recount(unit: Unit, repair: boolean) {
  const found = reconcile(unit.db, repair, unit.now.ms);
  unit.rows.forget();
  markCompleteJobs(unit);
  completeIfDone(unit);
  return found;
}

function applyAll(unit: Unit, operations: readonly Operation[]) {
  const answers = operations.map((operation) => {
    try {
      return applyOne(unit, operation);
    } catch (error) {
      if (error instanceof AppError && error.kind === "invalid") return error;
      throw error;
    }
  });
  completeIfDone(unit);
  return answers;
}

/** The only place where a job completes, so that it completes once. */
function completeIfDone({ rows, now }: Unit): void {
  for (const name of rows.takeTouched()) {
    const known = rows.job(name);
    const completed = known && completion(known, now.ms);
    if (completed) Object.assign(rows.jobForWrite(name), completed);
  }
}

/** Adds, claims and finishes have fast paths in SQL. The model applies everything else. */
function applyOne(unit: Unit, operation: Operation): Answer<Operation> {
  switch (operation.op) {
    case "add":
      return add(unit, operation);
    case "claim":
      return claim(unit, operation);
    case "finish":
      return finish(unit, operation);
    case "sweep":
      return sweep(unit);
    case "forgetKeys":
      return forgetKeys(unit, operation);
    case "pruneLog":
      return pruneLog(unit, operation);
    case "extend":
    case "release":
    case "raise":
    case "block":
    case "setGate":
    case "openJob":
    case "seal":
    case "pause":
    case "resume":
    case "cancel":
    case "retry":
    case "purge":
      return applyToSlice(unit, operation);
  }
}
