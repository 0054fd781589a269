import Database from "better-sqlite3";
import { AppError } from "../../../base/app-error.ts";
import { diskFullError } from "../../../base/files/disk-full.ts";

/** Runs an SQLite call. This is the only place that translates SQLite's errors. */
export function guarded<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof Database.SqliteError)) throw cause;
    const full = diskFullError(cause, file);
    if (full) throw full;
    if (isDamage(cause)) {
      const message =
        `${file} is damaged (${cause.code}): stop all processes of this data folder and start ` +
        `again; it is then rebuilt, and nothing is lost`;
      throw new AppError("corrupt", "ledger_state_damaged", message, { cause });
    }
    const message = `${file} failed (${cause.code}): check the disk and the rights of the file, then try again`;
    throw new AppError("unavailable", "ledger_state_failed", message, { cause });
  }
}

export const isDamage = (error: unknown): boolean =>
  error instanceof Database.SqliteError && /^SQLITE_(?:CORRUPT|NOTADB)/.test(error.code);
