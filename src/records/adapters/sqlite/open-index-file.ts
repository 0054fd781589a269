import Database from "better-sqlite3";
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { translateFileError } from "../../../base/atomic-file.ts";
import type { Logger } from "../../../base/logger.ts";
import { makeFolder } from "../../../base/make-folder.ts";
import { applicationId, indexVersion, schema } from "./schema.ts";
import { isDamage } from "./index-error.ts";

export const cacheKib = 65_536;
/** Others write in short transactions; a rebuild's are the longest. */
const busyMs = 10_000;

/**
 * Opens the file, and makes it where there is none. A file that is damaged, of another version, or of
 * another program is made anew, empty: the records notice, and fill it.
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
    log.warn("the index is of another version and is made anew", { file });
  } catch (error) {
    if (!isDamage(error)) throw error;
    log.warn("the index is damaged and is made anew", { file });
  }
  removeIndexFile(file);
  return openOnce(file)!;
}

export function removeIndexFile(file: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
}

/** Undefined: it is not of this version. */
function openOnce(file: string): Database.Database | undefined {
  const db = new Database(file);
  try {
    db.pragma(`busy_timeout = ${busyMs}`);
    // A power cut may take back the last moments, never tear the file; then the records catch up.
    db.pragma("journal_mode = wal");
    db.pragma("synchronous = normal");
    db.pragma(`cache_size = -${cacheKib}`);
    db.pragma("temp_store = memory");
    db.pragma("secure_delete = on"); // who was forgotten is not to be found in free pages
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
  const version = db.pragma("user_version", { simple: true });
  const owner = db.pragma("application_id", { simple: true });
  if (version === indexVersion && owner === applicationId) {
    // Reads a page of each of these: damage shows here, not in the middle of some later work.
    db.prepare("select value from meta limit 1").get();
    db.prepare("select target from record order by seat desc limit 1").get();
    return true;
  }
  const isNew = db.prepare("select 1 from sqlite_master limit 1").get() === undefined;
  if (!isNew) return false;
  db.exec(schema);
  db.pragma(`user_version = ${indexVersion}`);
  db.pragma(`application_id = ${applicationId}`);
  return true;
}
