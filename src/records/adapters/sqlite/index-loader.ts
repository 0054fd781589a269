import { startAskedThread, type AskedThread } from "../../../base/process/asked-thread.ts";
import { createSerial } from "../../../base/serial.ts";
import type { IndexBatch } from "../../search/record-index.ts";
import { programFile } from "../../../base/files/package-files.ts";

/**
 * A batch of this size is worth a thread. Its pages would also evict a cache of the normal size and
 * be read again.
 */
export const manyRecords = 5_000;

/** Applies batches one after the other while other work continues. */
export interface IndexLoader {
  /** Resolves when the batch is applied. */
  load(batch: IndexBatch): Promise<void>;
  /** Call after the last batch. Resolves when the thread has closed the file. */
  end(): Promise<void>;
}

export interface IndexLoaderOptions {
  readonly file: string;
  /** Applies batches that take less time than starting a thread. */
  readonly update: (batch: IndexBatch) => void;
}

/**
 * Uses a thread with its own connection: for 100,000 records, writing terms and lists takes SQLite
 * as long as reading and rendering takes this thread.
 */
export function startIndexLoader({ file, update }: IndexLoaderOptions): IndexLoader {
  const serial = createSerial();
  let thread: AskedThread<string, void> | undefined;
  const apply = async (batch: IndexBatch) => {
    const isLarge = (batch.put?.length ?? 0) >= manyRecords && file !== ":memory:";
    if (!thread && !isLarge) return update(batch);
    thread ??= startAskedThread(programFile("records/adapters/sqlite/index-loader-thread"), {
      workerData: file,
    });
    // Text is copied as one piece, which takes this thread less time than objects do.
    return thread.ask(JSON.stringify(batch));
  };
  return {
    load: (batch) => serial.run(() => apply(batch)),
    end: () =>
      serial.run(async () => {
        const ended = thread;
        thread = undefined;
        try {
          await ended?.ask(closeJob);
        } finally {
          await ended?.end();
        }
      }),
  };
}

/** The message that asks the thread to close the file. */
export const closeJob = "close";
