/** The program of one thread of `createThreadFoldWorker`. */
import { answerJobs } from "../../../base/process/asked-thread.ts";
import { foldJob, scanJob } from "../../tiers/hub/fold-worker.ts";
import { handedOver } from "./handed-over.ts";
import type { FoldWorkerResult, FoldWorkerJob } from "./thread-fold-worker.ts";

answerJobs<FoldWorkerJob, FoldWorkerResult>(
  (job) => (job.kind === "scan" ? scanJob(job.job) : foldJob(job.job)),
  // Buffers that are sent back and not used here afterwards.
  (answer) => handedOver("records" in answer ? [answer.body, answer.records] : [answer.body]),
);
