import type { Job } from "../../../../queue/index.ts";
import type { TableColumn, Tint } from "../../../terminal/table.ts";

export const jobColumns: readonly TableColumn<Job>[] = [
  { title: "job", value: (job) => job.name, isKey: true },
  { title: "state", value: jobState, tint: (job) => tints[jobState(job)] },
  { title: "pending", value: (job) => job.pending },
  { title: "running", value: (job) => job.running },
  { title: "done", value: (job) => job.done },
  { title: "skipped", value: (job) => job.skipped },
  { title: "failed", value: (job) => job.failed, tint: (job) => (job.failed ? "bad" : undefined) },
  { title: "finished", value: (job) => share(job.done + job.skipped + job.failed, job.added) },
  { title: "requests", value: (job) => job.requests },
  { title: "commits", value: commitsOf },
  { title: "at once", value: (job) => job.concurrency ?? "any" },
  { title: "budget", value: (job) => (job.budget === null ? "any" : `${job.added}/${job.budget}`) },
  { title: "gate", value: (job) => job.gate },
];

/** Bucket requests that the queue itself made for the job; "-" if the queue is not in a bucket. */
function commitsOf({ commitRequests }: Job): number | string {
  return commitRequests === undefined ? "-" : Math.round(commitRequests * 1_000) / 1_000;
}

type JobState = "open" | "paused" | "sealed" | "completed" | "failed" | "cancelled";

const tints: Readonly<Partial<Record<JobState, Tint>>> = {
  paused: "warn",
  completed: "good",
  failed: "bad",
  cancelled: "bad",
};

/**
 * The most informative state: a job can be paused and sealed at once. If all tasks failed, the job
 * has failed.
 */
export function jobState(job: Job): JobState {
  const { ended, isPaused, isSealed, done, skipped, failed } = job;
  if (ended === "completed" && failed > 0 && done + skipped === 0) return "failed";
  if (ended !== null) return ended;
  if (isPaused) return "paused";
  return isSealed ? "sealed" : "open";
}

/** Never 100 % before everything is done. */
export const share = (part: number, whole: number): string =>
  whole === 0 ? "-" : `${Math.min(part < whole ? 99 : 100, Math.round((part * 100) / whole))}%`;
