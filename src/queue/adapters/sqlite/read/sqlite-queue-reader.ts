import Database from "better-sqlite3";
import { existsSync } from "node:fs";
import { AppError } from "../../../../base/app-error.ts";
import { systemClock, type Clock } from "../../../../base/clock.ts";
import { bootId } from "../../../../base/machine-clock.ts";
import {
  copyToRead,
  prepareToRead,
  type ReadableDatabase,
} from "../../../../base/files/readable-database.ts";
import { storeNow } from "../../../model/now.ts";
import type { QueueStore, StoreNow } from "../../../queue-store.ts";
import { readFormat, realFile } from "../connection/open-database.ts";
import { createCountsReader } from "./read-counts.ts";
import { wakeInMs } from "./read.ts";
import { applicationId, steps } from "../connection/schema.ts";
import { translateError } from "../connection/sqlite-error.ts";
import { openSqliteQueueStore } from "../sqlite-queue-store.ts";
import { createStoreClock } from "../connection/store-clock.ts";
import { storeReads } from "./store-reads.ts";
import { checkWalOwner } from "../connection/wal-owner.ts";

export interface SqliteQueueReaderOptions {
  readonly file: string;
  readonly clock?: Clock;
}

/**
 * A queue for a command that only reads. It needs no write access and changes neither the file nor
 * its folder. If a process has the queue open, it is read in place. Otherwise SQLite could not read
 * it without creating a log next to it, so this reads a temporary copy, which is deleted when it is
 * closed. Commits are refused.
 */
export function openSqliteQueueReader(options: SqliteQueueReaderOptions): QueueStore {
  const { file, clock = systemClock } = options;
  const real = realFile(file);
  checkWalOwner(real);
  // The shared memory file of SQLite exists: a process has the queue open, or was killed.
  if (existsSync(`${real}-shm`)) {
    const opened = openInPlace(real, clock);
    if (opened) return opened;
  }
  const readable = prepareToRead(real);
  if (!readable) return withoutWrites(openSqliteQueueStore({ file: ":memory:", clock }), file);
  if (readable.isCopy) return openCopy(readable, { file, clock });
  return openInPlace(real, clock) ?? openCopy(copyToRead(real), { file, clock });
}

/** If the file is locked for longer, another process hangs while it opens the file. */
const busyMs = 2_000;

/**
 * Undefined if the file cannot be read in place: it may be from an earlier version or another boot
 * of the machine, or this user may not open its shared memory.
 */
function openInPlace(file: string, clock: Clock): QueueStore | undefined {
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { readonly: true, fileMustExist: true });
    db.pragma(`busy_timeout = ${busyMs}`);
    if (!isCurrent(db)) {
      db.close();
      return undefined;
    }
    return createReader(db, file, clock);
  } catch (error) {
    db?.close();
    if (error instanceof Database.SqliteError) return undefined; // the copy fails with a message
    throw error;
  }
}

/**
 * True if this program in this boot would have written the file this way, so that it can be read
 * unchanged.
 */
const isCurrent = (db: Database.Database): boolean =>
  db.pragma("application_id", { simple: true }) === applicationId &&
  readFormat(db).format >= steps.length &&
  db.prepare("select value from meta where name = 'boot'").pluck().get() === bootId();

function createReader(db: Database.Database, file: string, clock: Clock): QueueStore {
  const now = createStoreClock(db, clock);
  const counts = createCountsReader(file);
  let counting: Promise<unknown> = Promise.resolve();
  const read = async <T>(work: (at: StoreNow) => T): Promise<T> => {
    try {
      return db.transaction(() => work(storeNow(now())))();
    } catch (error) {
      throw translateError(error, file);
    }
  };
  return {
    ...storeReads(db, read),
    ...refusals(file),
    format: async () => readFormat(db),
    now: async () => storeNow(now()),
    counts() {
      const mine = counting.then(() => counts.begin(storeNow(now())).finish());
      counting = mine.catch(() => {});
      return mine.catch((error: unknown) => {
        throw translateError(error, file);
      });
    },
    wakeInMs: (kinds, worker) => read((at) => wakeInMs(db, { kinds, worker }, at)),
    watch: () => () => {},
    async [Symbol.asyncDispose]() {
      await counting;
      counts[Symbol.dispose]();
      db.close();
    },
  };
}

function openCopy(
  copy: ReadableDatabase,
  { file, clock }: Required<SqliteQueueReaderOptions>,
): QueueStore {
  try {
    const store = openSqliteQueueStore({ file: copy.path, clock, durability: "normal" });
    return {
      ...withoutWrites(store, file),
      async [Symbol.asyncDispose]() {
        await store[Symbol.asyncDispose]();
        copy[Symbol.dispose]();
      },
    };
  } catch (error) {
    copy[Symbol.dispose]();
    if (!(error instanceof AppError)) throw error;
    // The message must name the file, not its copy.
    throw new AppError(error.kind, error.code, error.message.replaceAll(copy.path, file), {
      cause: error,
    });
  }
}

const withoutWrites = (store: QueueStore, file: string): QueueStore => ({
  ...store,
  ...refusals(file),
});

function refusals(file: string): Pick<QueueStore, "commit" | "reconcile" | "finishUpgrade"> {
  const refuse = async (): Promise<never> => {
    throw new AppError("internal", "queue_reader", `the queue ${file} was opened only to read it`);
  };
  return { commit: refuse, reconcile: refuse, finishUpgrade: refuse };
}
