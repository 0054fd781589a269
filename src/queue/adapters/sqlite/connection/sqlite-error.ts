import Database from "better-sqlite3";
import { AppError } from "../../../../base/app-error.ts";
import { diskFullError } from "../../../../base/files/disk-full.ts";

/**
 * The only place that translates errors of SQLite. Any other error is a bug and passes unchanged.
 */
export function translateError(cause: unknown, file: string): unknown {
  if (!(cause instanceof Database.SqliteError)) return cause;
  const full = diskFullError(cause, file);
  if (full) return full;
  const [kind, code, message] = describe(cause.code, file);
  return new AppError(kind, code, `${message} (${cause.code}: ${cause.message})`, { cause });
}

function describe(code: string, file: string): [AppError["kind"], string, string] {
  const is = (...prefixes: readonly string[]) => prefixes.some((prefix) => code.startsWith(prefix));
  if (is("SQLITE_BUSY", "SQLITE_LOCKED")) {
    return [
      "unavailable",
      "queue_busy",
      `the queue ${file} is locked by another process: try again, and look for one that hangs`,
    ];
  }
  if (is("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH")) {
    return ["unavailable", "queue_read_only", readOnlyAdvice(file)];
  }
  if (is("SQLITE_CORRUPT", "SQLITE_NOTADB")) {
    return [
      "corrupt",
      "queue_corrupt",
      `the queue ${file} is damaged or is not a queue: keep a copy, then restore a backup, or ` +
        `recover what can be read with "sqlite3 ${file} .recover"`,
    ];
  }
  if (is("SQLITE_CANTOPEN")) {
    return [
      "unavailable",
      "queue_not_opened",
      `the queue ${file} cannot be opened: check that its folder exists and may be written`,
    ];
  }
  return [
    "unavailable",
    "queue_store_failed",
    `the queue ${file} failed: check the disk (dmesg, free space), then try again`,
  ];
}

export const readOnlyAdvice = (file: string): string =>
  `the queue ${file} cannot be written: check the rights of the file and of its folder, ` +
  `and whether the disk is mounted read-only`;
