import Database from "better-sqlite3";
import { AppError } from "../../../base/app-error.ts";
import { diskFullError } from "../../../base/files/disk-full.ts";

/** Runs a SQLite operation and translates its errors; the only place that does. */
export function guarded<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof Database.SqliteError)) throw cause;
    const full = diskFullError(cause, file);
    if (full) throw full;
    const [kind, code, message] = describe(cause.code, file);
    throw new AppError(kind, code, `${message} (${cause.code})`, { cause });
  }
}

/** Wraps every function of an object in `guarded`. */
export function guardedAll<Functions extends object>(
  file: string,
  functions: Functions,
): Functions {
  const entries = Object.entries(functions) as [string, (...given: unknown[]) => unknown][];
  return Object.fromEntries(
    entries.map(([name, call]) => [
      name,
      (...given: unknown[]) => guarded(file, () => call(...given)),
    ]),
  ) as Functions;
}

export const isDamage = (error: unknown): boolean =>
  error instanceof Database.SqliteError && /^SQLITE_(?:CORRUPT|NOTADB)/.test(error.code);

function describe(code: string, file: string): readonly [AppError["kind"], string, string] {
  const is = (...prefixes: readonly string[]) => prefixes.some((prefix) => code.startsWith(prefix));
  if (is("SQLITE_CORRUPT", "SQLITE_NOTADB")) {
    const advice = "`forager records rebuild` rebuilds it, and nothing is lost";
    return ["corrupt", "index_corrupt", `the index ${file} is damaged: ${advice}`];
  }
  if (is("SQLITE_BUSY", "SQLITE_LOCKED")) {
    const advice = "try again, and look for a process that hangs";
    return ["unavailable", "index_busy", `the index ${file} is locked: ${advice}`];
  }
  if (is("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH", "SQLITE_CANTOPEN")) {
    const advice =
      "check the rights of the file and of its folder, and whether the disk is read-only";
    return [
      "unavailable",
      "index_read_only",
      `the index ${file} cannot be opened or written: ${advice}`,
    ];
  }
  return [
    "unavailable",
    "index_failed",
    `the index ${file} failed: check the disk, then try again`,
  ];
}
