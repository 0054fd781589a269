import { startAskedThread, type AskedThread } from "../../../base/asked-thread.ts";
import type { IndexBatch, IndexLoader } from "../../record-index.ts";

/**
 * From so many on, a batch is worth a thread; and pages that it touches would leave a cache of the
 * usual size, and come back.
 */
export const manyRecords = 5_000;

export interface IndexLoaderOptions {
  readonly file: string;
  /** For batches that are done before a thread has started. */
  readonly update: (batch: IndexBatch) => void;
}

/**
 * IndexLoader with a thread that has the file open for itself. Words and lists of 100,000 records
 * take SQLite as long as reading and rendering takes the others.
 */
export function startIndexLoader({ file, update }: IndexLoaderOptions): IndexLoader {
  let thread: AskedThread<string, void> | undefined;
  let last: Promise<void> = Promise.resolve();
  const apply = async (batch: IndexBatch) => {
    const isLarge = (batch.put?.length ?? 0) >= manyRecords && file !== ":memory:";
    if (!thread && !isLarge) return update(batch);
    thread ??= startAskedThread(new URL("./index-loader-thread", import.meta.url), {
      workerData: file,
    });
    // As text it is copied at once, and needs no second of this thread.
    return thread.ask(JSON.stringify(batch));
  };
  return {
    load(batch) {
      const mine = last.then(() => apply(batch));
      last = mine.catch(() => {});
      return mine;
    },
    async [Symbol.asyncDispose]() {
      await last;
      await thread?.end();
    },
  };
}
