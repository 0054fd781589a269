import type { Paths } from "../../config/index.ts";
import type { Queue } from "../../queue/index.ts";
import type { JobTroubles } from "./job-troubles.ts";
import { readPausedJobs } from "./paused-jobs.ts";
import { readUnreadJobs } from "./unread-jobs.ts";

export interface JobTroublesOptions {
  readonly queue: Pick<Queue, "stats" | "ended" | "job" | "jobs" | "hasTaskLimit">;
  readonly paths: Paths;
  /**
   * Campaigns that were stopped by their budget. Their jobs are paused, and are resumed with
   * another command.
   */
  readonly stopped: readonly string[];
}

export async function readJobTroubles(options: JobTroublesOptions): Promise<JobTroubles> {
  const { queue, paths, stopped } = options;
  const paused = await readPausedJobs(paths, queue);
  return {
    paused: paused.filter(({ job }) => !stopped.includes(job)),
    unread: await readUnreadJobs(queue),
  };
}
