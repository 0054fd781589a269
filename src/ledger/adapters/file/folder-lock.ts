import Database from "better-sqlite3";
import { AppError } from "../../../base/app-error.ts";
import { diskFullError } from "../../../base/disk-full.ts";

/** How long to wait for another command that is about to end. */
const waitMs = 5_000;

/**
 * Keeps all other processes of this machine out until it is disposed of. The lock is SQLite's on a
 * small file: the kernel frees it when the process is gone, however it went.
 */
export function lockFolder(file: string): Disposable {
  const lock = tryLockFolder(file, { waitMs });
  if (lock) return lock;
  const message =
    `another forager process writes to the ledger beside ${file}: stop it, or let it do the ` +
    `work; a ledger has one writer at a time`;
  throw new AppError("unavailable", "ledger_in_use", message);
}

/** Undefined where another process holds it. Waiting stops everything else in this process. */
export function tryLockFolder(
  file: string,
  { waitMs }: { readonly waitMs: number },
): Disposable | undefined {
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { timeout: waitMs });
    db.exec("begin exclusive");
  } catch (cause) {
    db?.close();
    if (cause instanceof Database.SqliteError && cause.code.startsWith("SQLITE_BUSY")) return;
    const full = diskFullError(cause, file);
    if (full) throw full;
    const message = `the ledger's lock ${file} cannot be opened: ${(cause as Error).message}`;
    throw new AppError("unavailable", "ledger_lock", message, { cause });
  }
  const held = db;
  return {
    [Symbol.dispose]() {
      held.close();
    },
  };
}
