/** The program of one thread of `createThreadFoldWorker`. */
import { constants, setPriority } from "node:os";
import { answerJobs } from "../../../base/process/asked-thread.ts";
import { foldJob, scanJob } from "../../tiers/hub/fold-worker.ts";
import { handedOver } from "./handed-over.ts";
import type { FoldWorkerResult, FoldWorkerJob } from "./thread-fold-worker.ts";

// Writes to the ledger come first. Elsewhere this would change the whole process.
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

answerJobs<FoldWorkerJob, FoldWorkerResult>(
  (job) => (job.kind === "scan" ? scanJob(job.job) : foldJob(job.job)),
  // Buffers that are sent back and not used here afterwards.
  (answer) => handedOver("records" in answer ? [answer.body, answer.records] : [answer.body]),
);
