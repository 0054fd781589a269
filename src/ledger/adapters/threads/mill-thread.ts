/** The program of one thread of `createThreadMill`: does jobs as they come, and answers each. */
import { parentPort } from "node:worker_threads";
import { AppError, assert } from "../../../base/app-error.ts";
import { foldJob, scanJob } from "../../tiers/fold-mill.ts";
import { handedOver } from "./handed-over.ts";
import type { MillAnswer, MillJob } from "./thread-mill.ts";

const port = parentPort;
assert(port, "this is the program of a thread");

const answerTo = (job: MillJob): MillAnswer => {
  try {
    return { kind: "done", value: job.kind === "scan" ? scanJob(job.job) : foldJob(job.job) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error; // a bug: it ends the thread, and the fold
    const { kind, code, message } = error;
    return { kind: "refused", error: kind, code, message };
  }
};
/** What is sent back and not used here any more. */
const movedWith = (answer: MillAnswer) => {
  if (answer.kind === "refused") return [];
  const { value } = answer;
  return handedOver("records" in value ? [value.body, value.records] : [value.body]);
};
port.on("message", (job: MillJob) => {
  const answer = answerTo(job);
  port.postMessage(answer, movedWith(answer));
});
