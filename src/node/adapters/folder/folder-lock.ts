import Database from "better-sqlite3";
import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
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
    if (isNotPermitted(cause)) throw notPermitted(file, cause);
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

const refusals: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EROFS"]);

const isNotPermitted = (cause: unknown): boolean =>
  refusals.has((cause as { readonly code?: unknown }).code);

function notPermitted(file: string, cause: unknown): AppError {
  const folder = dirname(dirname(file));
  const message =
    `the data folder ${folder} cannot be written by this user (${(cause as { code: string }).code} ` +
    `for ${file}): run this as the user that owns it, or choose another folder with --data or FORAGER_DATA`;
  return new AppError("unavailable", "node_lock", message, { cause });
}
