/** The program of the thread of `startIndexLoader`: applies batches as they come, and answers each. */
import { parentPort, workerData } from "node:worker_threads";
import { AppError, assert } from "../../../base/app-error.ts";
import { silentLogger } from "../../../base/logger.ts";
import type { IndexBatch } from "../../record-index.ts";
import type { LoaderAnswer } from "./index-loader.ts";
import { openSqliteRecordIndex, type SqliteRecordIndex } from "./sqlite-record-index.ts";

const port = parentPort;
assert(port, "this is the program of a thread");
let index: SqliteRecordIndex | undefined;

const answerTo = (text: string): LoaderAnswer => {
  try {
    index ??= openSqliteRecordIndex({ file: workerData as string, log: silentLogger });
    index.update(JSON.parse(text) as IndexBatch);
    return { kind: "applied" };
  } catch (error) {
    if (!(error instanceof AppError)) throw error; // a bug: it ends the thread, and the rebuild
    const { kind, code, message } = error;
    return { kind: "refused", error: kind, code, message };
  }
};
port.on("message", (text: string) => port.postMessage(answerTo(text)));
