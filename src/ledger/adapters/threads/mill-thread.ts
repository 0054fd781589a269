/** The program of one thread of `createThreadMill`. */
import { answerJobs } from "../../../base/asked-thread.ts";
import { foldJob, scanJob } from "../../tiers/fold-mill.ts";
import { handedOver } from "./handed-over.ts";
import type { MillAnswer, MillJob } from "./thread-mill.ts";

answerJobs<MillJob, MillAnswer>(
  (job) => (job.kind === "scan" ? scanJob(job.job) : foldJob(job.job)),
  // What is sent back and not used here any more.
  (answer) => handedOver("records" in answer ? [answer.body, answer.records] : [answer.body]),
);
