import Database from "better-sqlite3";
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { translateFileError } from "../../../base/files/atomic-file.ts";
import type { Logger } from "../../../base/log/logger.ts";
import { makeFolder } from "../../../base/files/make-folder.ts";
import { applicationId, indexVersion, schema } from "./schema.ts";
import { isDamage } from "./index-error.ts";

export const cacheKib = 65_536;
/** Readers lock the file for milliseconds. */
const busyMs = 10_000;

/**
 * Opens the file for writing, or creates an empty one. A file that is damaged, or of another
 * version or program, is replaced by an empty one, and the records fill it.
 */
export function openIndexFile(file: string, log: Logger): Database.Database {
  try {
    if (file !== ":memory:") makeFolder(dirname(file));
  } catch (error) {
    throw translateFileError(error, file);
  }
  try {
    const db = openOnce(file);
    if (db) return db;
    log.warn("the index is of another version and is rebuilt", { file });
  } catch (error) {
    if (!isDamage(error)) throw error;
    log.warn("the index is damaged and is rebuilt", { file });
  }
  removeIndexFile(file);
  return openOnce(file)!;
}

/** The file itself first: without it, what a crash leaves behind is not an index. */
export function removeIndexFile(file: string): void {
  if (file === ":memory:") return;
  for (const suffix of ["", "-wal", "-shm", "-journal"]) {
    rmSync(`${file}${suffix}`, { force: true });
  }
}

/**
 * Leaves a single file outside WAL mode, which can be read without writing anything. If that fails
 * because a reader has the file open or the disk is full, nothing is lost: the log stays next to
 * the file, and readers use a copy.
 */
export function closeIndexFile(db: Database.Database): void {
  try {
    if (db.open && !db.memory) db.pragma("journal_mode = delete");
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
  } finally {
    db.close();
  }
}

/** Undefined if the file is of another version or program. */
function openOnce(file: string): Database.Database | undefined {
  const db = new Database(file);
  try {
    db.pragma(`busy_timeout = ${busyMs}`);
    // A power cut may undo the last commits but never damages the file; the records catch up.
    db.pragma("journal_mode = wal");
    db.pragma("synchronous = normal");
    db.pragma(`cache_size = -${cacheKib}`);
    db.pragma("temp_store = memory");
    db.pragma("secure_delete = on"); // free pages must not contain forgotten data
    db.pragma("wal_autocheckpoint = 16000"); // 64 MB: a rebuild is a few dozen large commits
    if (db.transaction(() => hasSchema(db)).immediate()) return db;
    db.close();
    return undefined;
  } catch (error) {
    db.close();
    throw error;
  }
}

function hasSchema(db: Database.Database): boolean {
  if (isIndex(db)) return true;
  const isNew = db.prepare("select 1 from sqlite_master limit 1").get() === undefined;
  if (!isNew) return false;
  db.exec(schema);
  db.pragma(`user_version = ${indexVersion}`);
  db.pragma(`application_id = ${applicationId}`);
  return true;
}

export function isIndex(db: Database.Database): boolean {
  const version = db.pragma("user_version", { simple: true });
  const program = db.pragma("application_id", { simple: true });
  if (version !== indexVersion || program !== applicationId) return false;
  // Reads a page of each table, so that most damage is found here and not in later work.
  db.prepare("select value from meta limit 1").get();
  db.prepare("select target from record order by seat desc limit 1").get();
  return true;
}
