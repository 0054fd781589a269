import { dirname } from "node:path";
import { writeFileAtomic } from "../base/atomic-file.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { makeFolder } from "../base/make-folder.ts";
import { readRegularFileSync } from "../base/regular-file.ts";
import { firstHosts } from "../campaign/index.ts";
import type { Paths } from "../config/index.ts";
import type { Queue } from "../queue/index.ts";

/** A job that this data folder's workers have paused, because its first visits all failed alike. */
export interface PausedJob {
  readonly job: string;
  /** The one reason of all of them, such as `private_address`. */
  readonly reason: string;
  readonly atMs: number;
}

export interface PauseJobOptions {
  readonly paths: Paths;
  readonly queue: Pick<Queue, "pause">;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Enough to remember: a job that is forgotten is only paused once more. */
const rememberedMax = 1_000;

/** Pauses a job once. If it is resumed, it goes on whatever its visits come to. */
export function createJobPauser({ paths, queue, clock, log }: PauseJobOptions) {
  return async (job: string, reason: string): Promise<void> => {
    const known = readPausedJobs(paths);
    if (known.some((one) => one.job === job)) return;
    const file = fileOf(paths);
    makeFolder(dirname(file), { mode: 0o700 });
    const all = [...known, { job, reason, atMs: clock.nowMs() }].slice(-rememberedMax);
    await writeFileAtomic(file, `${JSON.stringify(all)}\n`);
    await queue.pause(job);
    log.error(`paused job ${job}: ${pauseText(reason)}`, { job, reason });
  };
}

function readPausedJobs(paths: Paths): readonly PausedJob[] {
  try {
    return JSON.parse(String(readRegularFileSync(fileOf(paths)) ?? "[]")) as PausedJob[];
  } catch {
    return []; // none was ever paused, or the file is damaged
  }
}

/** Why this data folder's workers have paused a job; undefined: they have not. */
export function pausedFor(paths: Paths, job: string): string | undefined {
  const found = readPausedJobs(paths).find((one) => one.job === job);
  return found && pauseText(found.reason);
}

/** Those that nobody has resumed. */
export async function stillPausedJobs(
  paths: Paths,
  queue: Pick<Queue, "job" | "stats">,
): Promise<readonly PausedJob[]> {
  if ((await queue.stats()).jobs.paused === 0) return [];
  const jobs = readPausedJobs(paths).map(async (one) => ({ one, job: await queue.job(one.job) }));
  return (await Promise.all(jobs)).flatMap(({ one, job }) => (job?.isPaused === true ? [one] : []));
}

export const pauseText = (reason: string): string =>
  `none of its first ${firstHosts} websites could be read (${reason}); ${adviceFor(reason)}`;

function adviceFor(reason: string): string {
  if (reason === "private_address")
    return "these addresses are not public: set crawl.allowPrivateNetworks if they are yours";
  if (["dns", "refused", "reset", "timeout", "tls"].includes(reason))
    return "check the network, DNS and proxy of this machine";
  return "visit one of them with `forager crawl` to see more";
}

const fileOf = (paths: Paths): string => paths.resolve("work", "paused-jobs.json");
