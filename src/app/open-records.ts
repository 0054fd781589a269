import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { systemRandom } from "../base/random.ts";
import type { Paths } from "../config/index.ts";
import type { Ledger } from "../ledger/index.ts";
import type { ProgressOptions, Records, RecordSearch } from "../records/index.ts";
import { openLedgerIn } from "./open-ledger.ts";

export interface OpenRecordsOptions extends ProgressOptions {
  readonly paths: Paths;
  readonly log: Logger;
  /** Who edits files here. */
  readonly user: string;
  /** Ends what waits for other processes. */
  readonly signal?: AbortSignal;
}

/** The records of a data folder, with what they stand on. */
export interface RecordsIn extends AsyncDisposable {
  readonly records: Records;
  readonly index: RecordSearch;
  readonly ledger: Ledger;
}

const indexFile = "index/records.db";

/** Opens the records of a data folder; files and index are as the ledger says when it resolves. */
export async function openRecordsIn(options: OpenRecordsOptions): Promise<RecordsIn> {
  const { paths, log } = options;
  const mark = await ledgerMark(paths);
  const ledger = await openLedgerIn({ paths, log });
  try {
    const opened = await openRecordsOn(ledger, options);
    // Of before the ledger was opened: what anyone has written since is looked at next time.
    opened.index.setMark(mark);
    return {
      ...opened,
      async [Symbol.asyncDispose]() {
        try {
          await opened[Symbol.asyncDispose]();
        } finally {
          await ledger[Symbol.asyncDispose]();
        }
      },
    };
  } catch (error) {
    await ledger[Symbol.asyncDispose]();
    throw error;
  }
}

/** The same over a ledger that is open already, and is not closed with them. */
export async function openRecordsOn(ledger: Ledger, options: OpenRecordsOptions) {
  const { paths, log, user, onProgress, signal } = options;
  const { openRecords } = await import("../records/index.ts");
  const index = await openIndexIn(options);
  try {
    const folder = paths.root();
    const [clock, random] = [systemClock, systemRandom];
    const given = { ledger, folder, index, clock, random, log, user };
    const records = await openRecords({
      ...given,
      ...(onProgress && { onProgress }),
      ...(signal && { signal }),
    });
    return {
      records,
      index,
      ledger,
      async [Symbol.asyncDispose]() {
        try {
          await records[Symbol.asyncDispose]();
        } finally {
          index[Symbol.dispose]();
        }
      },
    };
  } catch (error) {
    index[Symbol.dispose]();
    throw error;
  }
}

/**
 * The index alone, for who only searches and lists. The ledger is opened first where something was
 * written to it that the index has not seen; else it is not even read, which takes milliseconds.
 */
export async function openSearchIn(options: OpenRecordsOptions): Promise<RecordSearch> {
  const index = await openIndexIn(options);
  if (index.position() && index.mark() === (await ledgerMark(options.paths))) return index;
  index[Symbol.dispose]();
  await (await openRecordsIn(options))[Symbol.asyncDispose]();
  return openIndexIn(options);
}

/** Takes the index away, so that it is filled anew, whatever state it is in. */
export async function removeIndexIn({ paths }: Pick<OpenRecordsOptions, "paths">): Promise<void> {
  const { removeIndexFile } = await import("../records/adapters/sqlite/open-index-file.ts");
  removeIndexFile(paths.resolve(indexFile));
}

async function openIndexIn({ paths, log }: Pick<OpenRecordsOptions, "paths" | "log">) {
  const { openSqliteRecordIndex } =
    await import("../records/adapters/sqlite/sqlite-record-index.ts");
  return openSqliteRecordIndex({ file: paths.resolve(indexFile), log });
}

/** Another text whenever the ledger has another content: journals only grow, and a base is replaced. */
async function ledgerMark(paths: Paths): Promise<string> {
  const folder = paths.resolve("wal");
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
      throw error;
    },
  );
  const files = [
    paths.resolve("ledger/base.json"),
    ...found
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name))
      .sort(),
  ];
  const lines = await Promise.all(
    files.map(async (file) => {
      const facts = await stat(file, { bigint: true }).catch(() => undefined);
      return facts ? `${file} ${facts.size} ${facts.mtimeNs}` : `${file} -`;
    }),
  );
  return lines.join("\n");
}
