import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { redactEntries } from "../../audit/index.ts";
import { systemClock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import { systemRandom } from "../../base/random.ts";
import type { Paths } from "../../config/index.ts";
import type { Ledger } from "../../ledger/index.ts";
import type { RecordsProgressOptions, RecordReader, Records } from "../../records/index.ts";

export interface OpenRecordsOptions extends RecordsProgressOptions {
  readonly paths: Paths;
  readonly log: Logger;
  /** The user who edits files here. */
  readonly user: string;
  /** Aborts waiting for other processes. */
  readonly signal?: AbortSignal;
}

/** Records and their index, opened on first use. */
export interface LazyRecords {
  open(): Promise<OpenedRecords>;
  /** If something was written, updates files and index from the ledger; then closes them. */
  close(): Promise<void>;
}

export interface OpenedRecords {
  readonly records: Records;
  readonly index: Awaited<ReturnType<typeof openIndexIn>>;
}

export interface LazyRecordsOptions extends OpenRecordsOptions {
  readonly ledger: Ledger;
}

const indexFile = "index/records.db";

/**
 * The records of a data folder that this process owns. A command that only writes to the ledger
 * waits for them only at its end.
 */
export function createLazyRecords(options: LazyRecordsOptions): LazyRecords {
  const { ledger, log, paths } = options;
  const begun = contentOf(ledger);
  let opening: Promise<OpenedRecords & AsyncDisposable> | undefined;
  const open = () =>
    (opening ??= openRecordsOn(options).catch((error: unknown) => {
      opening = undefined; // the next call tries again
      throw error;
    }));
  const bringUp = async () => {
    try {
      await open();
    } catch (error) {
      log.warn("files and index are behind the ledger: `forager records rebuild`", { error });
    }
  };
  return {
    open,
    async close() {
      if (!opening && contentOf(ledger) !== begun) await bringUp();
      const opened = await opening?.catch(() => undefined);
      // Stays the same as long as the content of the ledger does: readers compare it.
      opened?.index.setMark(await ledgerMark(paths));
      await opened?.[Symbol.asyncDispose]();
    },
  };
}

/** Changes whenever something was written or received. */
const contentOf = (ledger: Ledger) =>
  `${ledger.status().checkpoint} ${JSON.stringify([...ledger.vector()])}`;

async function openRecordsOn(
  options: LazyRecordsOptions,
): Promise<OpenedRecords & AsyncDisposable> {
  const { paths, ledger, log, user, onProgress, signal } = options;
  const { openRecords } = await import("../../records/index.ts");
  const index = await openIndexIn(options);
  try {
    const records = await openRecords({
      ledger,
      folder: paths.root(),
      index,
      clock: systemClock,
      random: systemRandom,
      log,
      user,
      onForget: async (records) => void (await redactEntries(paths.resolve("audit"), records)),
      ...(onProgress && { onProgress }),
      ...(signal && { signal }),
    });
    return {
      records,
      index,
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

async function openIndexIn({ paths, log }: Pick<OpenRecordsOptions, "paths" | "log">) {
  const { openSqliteRecordIndex } =
    await import("../../records/adapters/sqlite/sqlite-record-index.ts");
  return openSqliteRecordIndex({ file: paths.resolve(indexFile), log });
}

/**
 * Changes whenever the content of the ledger does: journals only grow, and what is forgotten makes
 * them shorter. A copy of the data folder in another place has the same mark.
 */
export async function ledgerMark(paths: Paths): Promise<string> {
  const folder = paths.resolve("wal");
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
      throw error;
    },
  );
  const journals = found
    .filter((one) => one.isFile())
    .map((one) => relative(folder, join(one.parentPath, one.name)));
  const lines = await Promise.all([
    readFile(paths.resolve("ledger/base.json")).then(
      (manifest) => createHash("sha256").update(manifest).digest("hex"),
      () => "no checkpoint",
    ),
    ...journals.sort().map(async (name) => {
      const facts = await stat(join(folder, name)).catch(() => undefined);
      return `${name} ${facts?.size ?? "-"}`;
    }),
  ]);
  return lines.join("\n");
}

export interface RecordReaderOptions {
  readonly paths: Paths;
  readonly log: Logger;
  readonly note: (text: string) => void;
}

/** Opens the index read-only, for a data folder that no process owns. */
export async function openRecordReader(options: RecordReaderOptions): Promise<RecordReader> {
  const { paths, log, note } = options;
  const file = paths.resolve(indexFile);
  // If nothing was ever written here, the result is empty; this is not an error.
  if (!existsSync(file) && !existsSync(paths.resolve("wal"))) {
    const { openSqliteRecordIndex } =
      await import("../../records/adapters/sqlite/sqlite-record-index.ts");
    return openSqliteRecordIndex({ file: ":memory:", log });
  }
  const { openSqliteRecordIndexForReading } =
    await import("../../records/adapters/sqlite/open-for-reading.ts");
  const index = openSqliteRecordIndexForReading({ file, log });
  if (index.isCopy) note("the last process was killed: a temporary copy of the index is used");
  if (index.mark() !== (await ledgerMark(paths))) {
    note("the index is behind the ledger: `forager records rebuild` brings it up to date");
  }
  return index;
}
