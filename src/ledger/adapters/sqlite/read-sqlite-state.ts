import Database from "better-sqlite3";
import { AppError } from "../../../base/app-error.ts";
import type { Logger } from "../../../base/log/logger.ts";
import { prepareToRead } from "../../../base/files/readable-database.ts";
import type { StateStore } from "../../state/state-store.ts";
import { isState } from "./sqlite-state.ts";
import { guarded } from "./state-error.ts";
import { stateTables } from "./state-tables.ts";

/** How long to wait for a process that is opening or closing the file for writing. */
const busyMs = 2_000;

/**
 * Opens a state without writing anything into its folder. Returns undefined if there is no state
 * that this version can use. If the last writer was killed, or a process is writing now, it reads a
 * temporary copy, which is removed on close. If a process starts to write the file, reads throw
 * `ledger_state_changed`; the caller opens it again.
 */
export function openSqliteStateForReading(options: {
  readonly file: string;
  readonly log: Logger;
}): StateStore | undefined {
  const { file, log } = options;
  const readable = prepareToRead(file);
  if (!readable) return undefined;
  if (readable.isCopy) log.info("reading a temporary copy of the ledger's state", { file });
  let db: Database.Database | undefined;
  const close = () => {
    db?.close();
    readable[Symbol.dispose]();
  };
  try {
    return guarded(file, () => {
      const how = readable.isCopy ? {} : { readonly: true };
      const opened = (db = new Database(readable.path, { ...how, fileMustExist: true }));
      opened.pragma(`busy_timeout = ${busyMs}`);
      if (!isState(opened)) {
        close();
        return undefined;
      }
      opened.pragma("query_only = on");
      return reading(file, opened, close);
    });
  } catch (error) {
    close();
    if (error instanceof AppError && error.code === "ledger_state_damaged") return undefined;
    throw error;
  }
}

function reading(file: string, db: Database.Database, close: () => void): StateStore {
  const version = () => db.pragma("data_version", { simple: true });
  const before = version();
  const tables = stateTables(db);
  const attempt = <T>(work: () => T): T =>
    guarded(file, () =>
      db.transaction(() => {
        const answer = work();
        if (version() !== before) throw changed(file);
        return answer;
      })(),
    );
  const never = (): never => {
    throw new AppError("invalid", "ledger_state_read_only", `${file} was opened only to read it`);
  };
  return {
    isReadOnly: true,
    head: () => attempt(() => tables.head()),
    read: (target) => attempt(() => tables.read(target)),
    readStaged: (target) => attempt(() => tables.readStaged(target)),
    list: (part, page) => attempt(() => tables.list(part, page)),
    listConflicted: (page) => attempt(() => tables.listConflicted(page)),
    files: () => attempt(() => tables.files()),
    runs: () => attempt(() => tables.runs()),
    apply: never,
    clear: never,
    [Symbol.dispose]: close,
  };
}

const changed = (file: string) =>
  new AppError(
    "conflict",
    "ledger_state_changed",
    `${file} was changed while it was read: try again`,
  );
