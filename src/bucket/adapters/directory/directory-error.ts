import Database from "better-sqlite3";
import { AppError } from "../../../base/app-error.ts";
import { translateFileError } from "../../../base/files/atomic-file.ts";
import { diskFullError } from "../../../base/files/disk-full.ts";
import { unknownOutcome } from "../../bucket-error.ts";

/** The only place that translates errors of files and of SQLite. */
export function translateDirectoryError(error: unknown, path: string): unknown {
  const full = diskFullError(error, path);
  if (full) return full;
  if (error instanceof Database.SqliteError) return fromSqlite(error, path);
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOTDIR" || code === "EEXIST" || code === "folder_is_file") {
    const message = `a part of ${path} is an object already: choose a key without this prefix`;
    return new AppError("invalid", "bucket_key_taken", message, { cause: error });
  }
  const translated = translateFileError(error, path);
  if (!(translated instanceof AppError) || translated.kind !== "unavailable") return translated;
  if (translated.code === "bucket_locked" || translated.code === "disk_full") return translated;
  // On a failing disk, the rename may have happened although it reported an error.
  return unknownOutcome(path, translated.message, error);
}

function fromSqlite(cause: InstanceType<typeof Database.SqliteError>, path: string): AppError {
  if (cause.code === "SQLITE_READONLY_DBMOVED") {
    const message =
      `the lock of the bucket ${path} (.forager/lock.db) was deleted or replaced while this process ` +
      `had it open, so it does not exclude other processes any more; nothing was written. Stop all processes that use ` +
      `the bucket, then start them again`;
    return new AppError("corrupt", "bucket_lock_replaced", message, { cause });
  }
  const isDamaged = /^SQLITE_(CORRUPT|NOTADB)/.test(cause.code);
  const isReadOnly = /^SQLITE_(READONLY|PERM|CANTOPEN|AUTH)/.test(cause.code);
  const message = isDamaged
    ? `the lock of the bucket ${path} is damaged: with all processes stopped, delete .forager/ in it`
    : isReadOnly
      ? `the bucket ${path} cannot be written: check the rights of the folder and of the disk`
      : `the lock of the bucket ${path} failed: check the disk, then try again`;
  const kind = isDamaged ? "corrupt" : isReadOnly ? "invalid" : "unavailable";
  return new AppError(kind, "bucket_lock_failed", `${message} (${cause.code})`, { cause });
}
