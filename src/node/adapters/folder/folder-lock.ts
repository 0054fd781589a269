import Database from "better-sqlite3";
import { accessSync, constants } from "node:fs";
import { AppError } from "../../../base/app-error.ts";
import { diskFullError } from "../../../base/files/disk-full.ts";
import { rememberFile } from "../../../base/files/opened-file.ts";
import type { OwnerLock } from "../../meeting-point.ts";

/**
 * Returns undefined if another process holds the lock. It is SQLite's lock on a small file: the
 * kernel releases it when the process ends, however it ends.
 */
export function tryLockFile(file: string): OwnerLock | undefined {
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { timeout: 0 });
    db.pragma("journal_mode = memory"); // nothing is ever written: no second file
    db.exec("begin exclusive");
    // A file that this user may not write is opened only to read it: then the lock excludes nobody.
    accessSync(file, constants.W_OK);
  } catch (cause) {
    db?.close();
    if (cause instanceof Database.SqliteError && cause.code.startsWith("SQLITE_BUSY")) return;
    const full = diskFullError(cause, file);
    if (full) throw full;
    const message = `the lock ${file} of the data folder cannot be opened: ${(cause as Error).message}`;
    throw new AppError("unavailable", "node_lock", message, { cause });
  }
  const held = db;
  const opened = rememberFile(file);
  return {
    isInPlace: () => opened.isInPlace(),
    [Symbol.dispose]() {
      held.close();
    },
  };
}
