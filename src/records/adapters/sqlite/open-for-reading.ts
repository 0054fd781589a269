import Database from "better-sqlite3";
import { AppError } from "../../../base/app-error.ts";
import type { Logger } from "../../../base/log/logger.ts";
import { prepareToRead, type ReadableDatabase } from "../../../base/files/readable-database.ts";
import type { RecordReader } from "../../search/record-search.ts";
import { guarded, guardedAll } from "./index-error.ts";
import { isIndex } from "./open-index-file.ts";
import { recordReader } from "./read-records.ts";
import { recordSearcher } from "./search-records.ts";
import { stateTables } from "./state-tables.ts";

export interface SqliteRecordReader extends RecordReader {
  /** See `SqliteRecordIndex`. */
  mark(): string | undefined;
  /** True if this reads a temporary copy: see `openSqliteRecordIndexForReading`. */
  readonly isCopy: boolean;
}

export interface ReadingOptions {
  readonly file: string;
  readonly log: Logger;
}

/**
 * Opens an index without writing to its folder and without needing a process that writes it. If the
 * last writer was killed, this reads a temporary copy, which is removed when it is closed; that
 * takes as long as copying the file, and is logged. Throws AppError: `index_missing` if there is no
 * index or it was never filled; `index_version` if it is of another version; `index_corrupt`.
 */
export function openSqliteRecordIndexForReading({ file, log }: ReadingOptions): SqliteRecordReader {
  const readable = prepareToRead(file);
  if (!readable) throw missing(file);
  try {
    if (readable.isCopy) {
      log.info("the index was not closed: reading a temporary copy of it", { file });
    }
    return openReadable(file, readable);
  } catch (error) {
    readable[Symbol.dispose]();
    throw error;
  }
}

/** How long to wait for a process that starts or stops writing the file. */
const busyMs = 2_000;

function openReadable(file: string, readable: ReadableDatabase): SqliteRecordReader {
  // The copy belongs to this process, so SQLite may write to it.
  const options = readable.isCopy ? {} : { readonly: true };
  const db = guarded(file, () => new Database(readable.path, { ...options, fileMustExist: true }));
  try {
    return guarded(file, () => {
      db.pragma(`busy_timeout = ${busyMs}`);
      if (!isIndex(db)) throw otherVersion(file);
      db.pragma("query_only = on");
      const { reads } = stateTables(db);
      if (!reads.position()) throw missing(file);
      return {
        ...guardedAll(file, { ...recordReader(db), ...recordSearcher(db), ...reads }),
        isCopy: readable.isCopy,
        [Symbol.dispose]() {
          db.close();
          readable[Symbol.dispose]();
        },
      };
    });
  } catch (error) {
    db.close();
    throw error;
  }
}

const missing = (file: string) =>
  new AppError(
    "unavailable",
    "index_missing",
    `there is no index of the records yet (${file}): \`forager records rebuild\` creates it`,
  );

const otherVersion = (file: string) =>
  new AppError(
    "invalid",
    "index_version",
    `the index ${file} is of another version: \`forager records rebuild\` rebuilds it`,
  );
