/** The program of the thread of `startIndexLoader`: applies batches as they arrive. */
import { workerData } from "node:worker_threads";
import { answerJobs } from "../../../base/process/asked-thread.ts";
import { silentLogger } from "../../../base/log/logger.ts";
import type { IndexBatch } from "../../search/record-index.ts";
import { closeJob } from "./index-loader.ts";
import { openSqliteRecordIndex, type SqliteRecordIndex } from "./sqlite-record-index.ts";

let index: SqliteRecordIndex | undefined;

answerJobs<string, void>((text) => {
  if (text === closeJob) {
    index?.[Symbol.dispose]();
    index = undefined;
    return;
  }
  index ??= openSqliteRecordIndex({ file: workerData as string, log: silentLogger });
  index.update(JSON.parse(text) as IndexBatch);
});
