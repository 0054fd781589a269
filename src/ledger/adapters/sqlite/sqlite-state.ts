import Database from "better-sqlite3";
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { translateFileError } from "../../../base/files/atomic-file.ts";
import type { Logger } from "../../../base/log/logger.ts";
import { makeFolder } from "../../../base/files/make-folder.ts";
import type { StateBatch, StateStore } from "../../state/state-store.ts";
import { guarded, isDamage } from "./state-error.ts";
import { applicationId, pageBytes, schema, stateVersion } from "./state-schema.ts";
import { stateTables } from "./state-tables.ts";

export interface SqliteStateOptions {
  readonly file: string;
  readonly log: Logger;
  /** How much of the file SQLite keeps in memory. */
  readonly cacheKib?: number;
}

const cacheKibDefault = 16_384;
/** Readers lock the file for milliseconds only. */
const busyMs = 10_000;

/**
 * StateStore in an SQLite file that one process at a time opens to write. A file that is damaged, or
 * of another version, is replaced by an empty one. While it is open it is in WAL mode; when it is
 * closed it is a single file, which can be read in a folder that may not be written.
 */
export function openSqliteState(options: SqliteStateOptions): StateStore {
  const { file } = options;
  let db = guarded(file, () => openFile(options));
  let tables = guarded(file, () => stateTables(db));
  guarded(file, () => tables.dropOrphans());
  let isLost = false;
  /** Deletes a damaged file; the next process builds it again. */
  const attempt = <T>(work: () => T): T => {
    try {
      return guarded(file, work);
    } catch (error) {
      if (!isLost && (error as { code?: unknown }).code === "ledger_state_damaged") {
        isLost = true;
        removeStateFile(file);
      }
      throw error;
    }
  };
  const applyAtOnce = (batch: StateBatch) => db.transaction(() => tables.apply(batch)).immediate();
  return {
    isReadOnly: false,
    head: () => attempt(() => tables.head()),
    read: (target) => attempt(() => tables.read(target)),
    readStaged: (target) => attempt(() => tables.readStaged(target)),
    list: (part, page) => attempt(() => tables.list(part, page)),
    listConflicted: (page) => attempt(() => tables.listConflicted(page)),
    files: () => attempt(() => tables.files()),
    runs: () => attempt(() => tables.runs()),
    apply(batch) {
      try {
        attempt(() => applyAtOnce(batch));
      } catch (error) {
        // Read again what the failed batch has changed in memory.
        if (!isLost) tables = attempt(() => stateTables(db));
        throw error;
      }
    },
    clear: () =>
      attempt(() => {
        // A new file: deleting gigabytes row by row takes longer than building them.
        db.close();
        removeStateFile(file);
        db = openFile(options);
        tables = stateTables(db);
      }),
    [Symbol.dispose]() {
      try {
        if (db.open && !db.memory && !isLost) db.pragma("journal_mode = delete");
      } catch (error) {
        // Another process reads the file, or the disk is full: keep the write-ahead log beside it.
        if (!(error instanceof Database.SqliteError)) throw error;
      } finally {
        db.close();
      }
    },
  };
}

function openFile({ file, log, cacheKib = cacheKibDefault }: SqliteStateOptions) {
  try {
    if (file !== ":memory:") makeFolder(dirname(file));
  } catch (error) {
    throw translateFileError(error, file);
  }
  try {
    const db = openOnce(file, cacheKib);
    if (db) return db;
    log.info("the state of the ledger is of another version and is rebuilt", { file });
  } catch (error) {
    if (!isDamage(error)) throw error;
    log.warn("the state of the ledger is damaged and is rebuilt", { file });
  }
  removeStateFile(file);
  return openOnce(file, cacheKib)!;
}

/** Returns undefined if the file is of another version or program. */
function openOnce(file: string, cacheKib: number): Database.Database | undefined {
  const db = new Database(file);
  try {
    db.pragma(`busy_timeout = ${busyMs}`);
    db.pragma(`page_size = ${pageBytes}`);
    // A power cut may undo the last batches and never damages the file.
    db.pragma("journal_mode = wal");
    db.pragma("synchronous = normal");
    db.pragma(`cache_size = -${cacheKib}`);
    db.pragma("secure_delete = on"); // free pages must not contain forgotten data
    if (db.transaction(() => hasSchema(db)).immediate()) return db;
    db.close();
    return undefined;
  } catch (error) {
    db.close();
    throw error;
  }
}

function hasSchema(db: Database.Database): boolean {
  if (isState(db)) return true;
  const isNew = db.prepare("select 1 from sqlite_master limit 1").get() === undefined;
  if (!isNew) return false;
  db.exec(schema);
  db.pragma(`user_version = ${stateVersion}`);
  db.pragma(`application_id = ${applicationId}`);
  return true;
}

export const isState = (db: Database.Database): boolean =>
  db.pragma("user_version", { simple: true }) === stateVersion &&
  db.pragma("application_id", { simple: true }) === applicationId;

/** Deletes the database file first: what a crash then leaves behind is not taken for a state. */
function removeStateFile(file: string): void {
  if (file === ":memory:") return;
  for (const suffix of ["", "-wal", "-shm", "-journal"]) {
    rmSync(`${file}${suffix}`, { force: true });
  }
}
