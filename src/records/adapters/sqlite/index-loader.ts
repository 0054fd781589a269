import { AppError, type ErrorKind } from "../../../base/app-error.ts";
import { startThread } from "../../../base/start-thread.ts";
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

/** From the thread, for each batch. */
export type LoaderAnswer =
  | { readonly kind: "applied" }
  | {
      readonly kind: "refused";
      readonly error: ErrorKind;
      readonly code: string;
      readonly message: string;
    };

/**
 * IndexLoader with a thread that has the file open for itself. Words and lists of 100,000 records
 * take SQLite as long as reading and rendering takes the others.
 */
export function startIndexLoader({ file, update }: IndexLoaderOptions): IndexLoader {
  let thread: Thread | undefined;
  let last: Promise<void> = Promise.resolve();
  const apply = async (batch: IndexBatch) => {
    const isLarge = (batch.put?.length ?? 0) >= manyRecords && file !== ":memory:";
    if (!thread && !isLarge) return update(batch);
    thread ??= startLoaderThread(file);
    return thread.apply(batch);
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

interface Thread {
  apply(batch: IndexBatch): Promise<void>;
  end(): Promise<void>;
}

function startLoaderThread(file: string): Thread {
  const worker = startThread(new URL("./index-loader-thread", import.meta.url), {
    workerData: file,
  });
  let waiting: { resolve(): void; reject(error: unknown): void } | undefined;
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
    waiting?.reject(failure);
  };
  worker.on("message", (answer: LoaderAnswer) => {
    if (answer.kind === "applied") waiting?.resolve();
    else waiting?.reject(new AppError(answer.error, answer.code, answer.message));
  });
  worker.on("error", fail);
  worker.on("exit", () => fail(new AppError("internal", "index_thread", "the thread has ended")));
  return {
    apply: (batch) =>
      new Promise((resolve, reject) => {
        if (failure) return reject(failure);
        waiting = { resolve, reject };
        // As text it is copied at once, and needs no second of this thread.
        worker.postMessage(JSON.stringify(batch));
      }),
    end: async () => void (await worker.terminate()),
  };
}
