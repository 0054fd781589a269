import { AppError } from "../../../../base/app-error.ts";
import type { Job, JobAnswer, Queue } from "../../../../queue/index.ts";
import { noSuchJob } from "./filters.ts";
import { jobState } from "./job-columns.ts";

/** Changes one job and returns its new state; throws if the job does not exist or has ended. */
export async function changeJob(
  queue: Queue,
  name: string,
  change: () => Promise<JobAnswer>,
): Promise<Job> {
  const answer = await change();
  const job = await queue.job(name);
  if (answer === "absent" || !job) throw await noSuchJob(queue, name);
  if (answer === "closed") {
    const state = jobState(job);
    const which = state === "cancelled" ? " --state skipped" : "";
    throw new AppError(
      "conflict",
      "job_ended",
      `job '${name}' is ${state}: only \`forager queue retry --job ${name}${which} --yes\` opens it again`,
    );
  }
  return job;
}
