/** The program of one thread of `createThreadMill`. */
import { answerJobs } from "../../../base/asked-thread.ts";
import { foldJob, scanJob } from "../../tiers/fold-worker.ts";
import { handedOver } from "./handed-over.ts";
import type { FoldWorkerResult, FoldWorkerJob } from "./thread-fold-worker.ts";

answerJobs<FoldWorkerJob, FoldWorkerResult>(
  (job) => (job.kind === "scan" ? scanJob(job.job) : foldJob(job.job)),
  // What is sent back and not used here any more.
  (answer) => handedOver("records" in answer ? [answer.body, answer.records] : [answer.body]),
);
