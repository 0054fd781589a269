import Database from "better-sqlite3";
import { lstatSync, renameSync, rmSync } from "node:fs";
import { AppError } from "../../../base/app-error.ts";
import type { Clock } from "../../../base/clock.ts";
import { formats, isReadable } from "../../../base/text/formats.ts";
import { diskFullError } from "../../../base/files/disk-full.ts";
import { usageDaysMax, type DayUsage, type UsageStore } from "../../usage-store.ts";

export interface SqliteUsageStoreOptions {
  /** The folder of the file must exist. */
  readonly file: string;
  readonly clock: Clock;
  /** Called if the file is damaged, with its new name; a new file replaces it. */
  readonly onDamaged: (path: string) => void;
}

/** Other processes hold the file for milliseconds only; waiting blocks this whole process. */
const busyMs = 1_000;
const dayMs = 86_400_000;

const schema = `
  create table usage (
    day text not null, caller text not null, operation text not null, requests int not null,
    failed int not null, bytes_sent int not null, bytes_received int not null,
    nanodollars int not null, primary key (day, caller, operation)
  ) without rowid;
  pragma user_version = ${formats.usage.newest};
`;

/**
 * UsageStore in a small SQLite file. The file is open only during a call, because processes use it
 * at most once a minute. Throws AppError: `unavailable` if the file cannot be used now, `invalid`
 * if a newer version created it.
 */
export function createSqliteUsageStore(options: SqliteUsageStoreOptions): UsageStore {
  const { file, clock, onDamaged } = options;

  function withFile<T>(work: (db: Database.Database) => T): T {
    try {
      return attempt(work);
    } catch (error) {
      if (!isDamage(error)) throw translate(error, file);
    }
    const stamp = new Date(clock.nowMs()).toISOString().replaceAll(/[-:]|\..*/g, "");
    const renamedFile = `${file}.damaged-${stamp}`;
    try {
      renameSync(file, renamedFile);
      rmSync(`${file}-journal`, { force: true }); // SQLite would apply it to the new file
      onDamaged(renamedFile);
      return attempt(work);
    } catch (error) {
      throw translate(error, file);
    }
  }

  function attempt<T>(work: (db: Database.Database) => T): T {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found && !found.isFile()) throw notAFile(file);
    const db = new Database(file, { timeout: busyMs });
    try {
      db.pragma("synchronous = normal");
      return db.transaction(() => work(prepared(db, file))).immediate();
    } finally {
      db.close();
    }
  }

  return {
    add: (rows) =>
      withFile((db) => {
        const insert = db.prepare(
          `insert into usage values (?, ?, ?, ?, ?, ?, ?, ?)
           on conflict (day, caller, operation) do update set
             requests = requests + excluded.requests, failed = failed + excluded.failed,
             bytes_sent = bytes_sent + excluded.bytes_sent,
             bytes_received = bytes_received + excluded.bytes_received,
             nanodollars = nanodollars + excluded.nanodollars`,
        );
        for (const { day, caller, operation, requests, failed, ...rest } of rows) {
          const { bytesSent, bytesReceived, dollars } = rest;
          const cost = Math.round(dollars * 1e9);
          insert.run(day, caller, operation, requests, failed, bytesSent, bytesReceived, cost);
        }
        const oldestMs = clock.nowMs() - (usageDaysMax - 1) * dayMs;
        const oldest = new Date(oldestMs).toISOString().slice(0, 10);
        db.prepare("delete from usage where day < ?").run(oldest);
      }),
    read: (fromDay) =>
      withFile((db) =>
        (
          db
            .prepare(
              `select day, caller, operation, requests, failed, bytes_sent as bytesSent,
                 bytes_received as bytesReceived, nanodollars from usage where day >= ?
               order by day, caller, operation`,
            )
            .all(fromDay) as (Omit<DayUsage, "dollars"> & { readonly nanodollars: number })[]
        ).map(({ nanodollars, ...row }) => ({ ...row, dollars: nanodollars / 1e9 })),
      ),
  };
}

/** Creates the table if it is missing; throws if another program created the file. */
function prepared(db: Database.Database, file: string): Database.Database {
  const version = db.pragma("user_version", { simple: true }) as number;
  if (isReadable("usage", { format: version }, file)) return db;
  if (db.prepare("select 1 from sqlite_master limit 1").get() !== undefined) throw damaged;
  db.exec(schema);
  return db;
}

/** A database of another application is treated like a damaged file. */
const damaged = new Error("not a file of usage");

const isDamage = (error: unknown): boolean =>
  error === damaged ||
  (error instanceof Database.SqliteError && /^SQLITE_(?:CORRUPT|NOTADB)/.test(error.code)) ||
  (error instanceof Database.SqliteError && error.message.startsWith("no such table"));

function translate(error: unknown, file: string): unknown {
  if (error instanceof AppError) return error;
  const full = diskFullError(error, file);
  if (full) return full;
  const reason = error instanceof Error ? error.message : String(error);
  const message = `the counts of bucket requests in ${file} cannot be used now: ${reason}`;
  return new AppError("unavailable", "usage_unavailable", message, { cause: error });
}

const notAFile = (file: string) =>
  new AppError(
    "invalid",
    "not_a_regular_file",
    `${file} is not a regular file, so bucket requests are not counted there: remove it`,
  );
