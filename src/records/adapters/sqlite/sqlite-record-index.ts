import type Database from "better-sqlite3";
import { renameSync } from "node:fs";
import type { Logger } from "../../../base/log/logger.ts";
import { translateFileError } from "../../../base/files/atomic-file.ts";
import type {
  IndexBatch,
  IndexReplacement,
  IndexUpdateOptions,
} from "../../search/record-index.ts";
import type { RecordSearch } from "../../search/record-search.ts";
import { guarded, guardedAll } from "./index-error.ts";
import { manyRecords, startIndexLoader } from "./index-loader.ts";
import { cacheKib, closeIndexFile, openIndexFile, removeIndexFile } from "./open-index-file.ts";
import { recordReader } from "./read-records.ts";
import { recordSearcher } from "./search-records.ts";
import { stateTables } from "./state-tables.ts";
import { recordWriter } from "./write-records.ts";

export interface SqliteRecordIndex extends RecordSearch {
  /**
   * A note for the process that updates this index. A replacement keeps it; a new file has none.
   */
  mark(): string | undefined;
  setMark(text: string): void;
}

export interface SqliteRecordIndexOptions {
  /** `:memory:` for an index that is not stored. */
  readonly file: string;
  readonly log: Logger;
}

/**
 * RecordIndex and search in one SQLite file, for the single process that writes it. While it is
 * open the file is in WAL mode; when closed, it is a single file that can be read without writing
 * anything.
 */
export function openSqliteRecordIndex({ file, log }: SqliteRecordIndexOptions): SqliteRecordIndex {
  let opened = openTables(file, log);
  // The tables are reopened when the file is replaced, so each call gets the current ones.
  const names = Object.keys(opened) as (keyof Tables)[];
  const passed = Object.fromEntries(
    names.map((name) => [name, (...given: never[]) => (opened[name] as Call)(...given)]),
  ) as unknown as Tables;

  return {
    ...passed,
    startReplacement() {
      const newFile = file === ":memory:" ? file : `${file}.new`;
      removeIndexFile(newFile);
      return createReplacement(newFile, log, (tables) => {
        const mark = markOf(opened);
        if (mark !== undefined) tables.setMark(mark);
        if (file === ":memory:") {
          opened[Symbol.dispose]();
          opened = tables;
          return;
        }
        tables.leaveWal();
        tables[Symbol.dispose]();
        opened[Symbol.dispose]();
        // After a crash between the two steps there is no index, and never an index with the log of
        // another one.
        removeIndexFile(file);
        try {
          renameSync(newFile, file);
        } catch (error) {
          throw translateFileError(error, file);
        } finally {
          opened = openTables(file, log);
        }
      });
    },
    [Symbol.dispose]: () => opened[Symbol.dispose](),
  };
}

interface Tables extends Omit<SqliteRecordIndex, "startReplacement"> {
  /** Moves everything from the log into the file, or throws. */
  leaveWal(): void;
}
type Call = (...given: never[]) => unknown;

/** A damaged index has no mark. */
function markOf(tables: Tables): string | undefined {
  try {
    return tables.mark();
  } catch {
    return undefined;
  }
}

function createReplacement(
  file: string,
  log: Logger,
  replace: (tables: Tables) => void,
): IndexReplacement {
  const tables = openTables(file, log);
  const loader = startIndexLoader({ file, update: tables.update });
  let isEnded = false;
  return {
    lookup: tables,
    load: (batch) => loader.load(batch),
    async commit() {
      await loader.end();
      replace(tables);
      isEnded = true;
    },
    async [Symbol.asyncDispose]() {
      if (isEnded) return;
      isEnded = true;
      await loader.end().catch(() => {}); // `load` or `commit` has thrown the error already
      tables[Symbol.dispose]();
      removeIndexFile(file);
    },
  };
}

function openTables(file: string, log: Logger): Tables {
  const db = guarded(file, () => openIndexFile(file, log));
  const writer = recordWriter(db);
  const state = stateTables(db);

  const apply = (batch: IndexBatch) => {
    if (batch.put) writer.put(batch.put);
    if (batch.drop) writer.drop(batch.drop);
    state.apply(batch);
  };
  /** The number of records in the open transaction. */
  let joined = 0;
  const settle = () => {
    joined = 0;
    if (db.inTransaction) db.exec("commit");
  };
  const takeBack = () => {
    joined = 0;
    if (db.inTransaction) db.exec("rollback");
  };
  // Without savepoints, because the full text search would write its lists at each of them.
  const update = (batch: IndexBatch, { isJoined = false }: IndexUpdateOptions) => {
    try {
      if (!db.inTransaction) db.exec("begin immediate");
      apply(batch);
      joined += batch.put?.length ?? 0;
      if (!isJoined || joined >= joinedMax) settle();
    } catch (error) {
      takeBack();
      throw error;
    }
  };

  return {
    ...guardedAll(file, { ...recordReader(db), ...recordSearcher(db), ...state.reads }),
    setMark: (text) => guarded(file, () => state.setMark(text)),
    update: (batch, how = {}) =>
      guarded(file, () => withCache(db, batch, () => update(batch, how))),
    settle: () => guarded(file, settle),
    // Deleted words stay in the full text until its parts are merged, and in the log until it is
    // emptied.
    scrub: () =>
      guarded(file, () => {
        settle();
        db.exec("insert into search (search) values ('optimize')");
        db.pragma("wal_checkpoint(truncate)");
      }),
    optimize: () =>
      guarded(file, () => {
        settle();
        db.exec("insert into search (search) values ('optimize'); analyze");
        db.pragma("wal_checkpoint(truncate)");
      }),
    leaveWal: () =>
      guarded(file, () => {
        settle();
        db.pragma("journal_mode = delete");
      }),
    [Symbol.dispose]() {
      try {
        guarded(file, settle);
      } catch (error) {
        // The joined changes are lost with it. The next process renders them again.
        log.warn("the last changes of the index could not be stored", { file, error });
        if (db.inTransaction) db.exec("rollback");
      } finally {
        closeIndexFile(db);
      }
    },
  };
}

/**
 * Joined batches are committed at this many records. A commit writes every changed page, and names
 * arrive in any order: fewer commits write fewer pages.
 */
const joinedMax = 8_000;

/**
 * Names arrive in any order, so a large batch changes most pages of every index and needs a larger
 * cache.
 */
function withCache(db: Database.Database, { put = [] }: IndexBatch, work: () => void): void {
  if (put.length < manyRecords) return work();
  db.pragma(`cache_size = -${4 * cacheKib}`);
  try {
    work();
  } finally {
    db.pragma(`cache_size = -${cacheKib}`);
  }
}
