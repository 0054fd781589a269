import { startAskedThread, type AskedThread } from "../../../base/process/asked-thread.ts";
import { createSerial } from "../../../base/serial.ts";
import type { IndexBatch } from "../../search/record-index.ts";
import { programFile } from "../../../base/files/package-files.ts";

/**
 * A batch of this many records is worth a thread; its pages would also leave a cache of the usual
 * size and be read again.
 */
export const manyRecords = 5_000;

/** Applies batches one after the other, while other work continues. */
export interface IndexLoader {
  /** Fulfilled when the batch is applied. */
  load(batch: IndexBatch): Promise<void>;
  /** After the last batch; the thread has closed the file then. */
  end(): Promise<void>;
}

export interface IndexLoaderOptions {
  readonly file: string;
  /** For batches that are applied faster than a thread starts. */
  readonly update: (batch: IndexBatch) => void;
}

/**
 * Uses a thread with its own connection: terms and lists of 100,000 records take SQLite as long as
 * reading and rendering them takes this thread.
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
    // As text it is copied at once, which takes this thread less time than objects.
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

/** Asks the thread to close the file. */
export const closeJob = "close";
