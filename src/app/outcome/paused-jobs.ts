import { dirname } from "node:path";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { readRegularFileSync } from "../../base/files/regular-file.ts";
import { firstHosts } from "../../campaign/index.ts";
import type { Paths } from "../../config/index.ts";
import type { Queue } from "../../queue/index.ts";

/** A job that was paused by workers of this data folder. */
interface PauseRecord {
  readonly job: string;
  /** The common reason of all its first visits, such as `private_address`. */
  readonly reason: string;
  readonly atMs: number;
  /** Somebody resumed it: if it is paused again, that is not because of its first visits. */
  readonly isResumed?: true;
}

/** A job that was paused by a user, or because its first visits all failed for the same reason. */
export interface PausedJob {
  readonly job: string;
  /** Tasks that wait until it is resumed. */
  readonly left: number;
  /** The common reason of its first visits, if workers of this data folder have paused it. */
  readonly reason?: string;
  /** The reason as text for people, with the next step. */
  readonly why?: string;
}

export interface PauseJobOptions {
  readonly paths: Paths;
  readonly queue: Pick<Queue, "pause">;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Bounds the file. A job that is dropped from it could be paused once more, which does no harm. */
const rememberedMax = 1_000;

/**
 * Pauses a job at most once. After it is resumed, it continues whatever the results of its visits.
 */
export function createJobPauser({ paths, queue, clock, log }: PauseJobOptions) {
  return async (job: string, reason: string): Promise<void> => {
    const known = readRecords(paths);
    if (known.some((one) => one.job === job)) return;
    await writeRecords(paths, [...known, { job, reason, atMs: clock.nowMs() }]);
    await queue.pause(job);
    log.error(`paused job ${job}: ${pauseText(reason)}`, { job, reason });
  };
}

/** Notes that a job was resumed, so that its earlier pause is not given as a reason any more. */
export async function notePauseEnded(paths: Paths, job: string): Promise<void> {
  const known = readRecords(paths);
  if (!known.some((one) => one.job === job && one.isResumed !== true)) return;
  const all = known.map((one) => (one.job === job ? { ...one, isResumed: true as const } : one));
  await writeRecords(paths, all);
}

async function writeRecords(paths: Paths, all: readonly PauseRecord[]): Promise<void> {
  const file = fileOf(paths);
  makeFolder(dirname(file), { mode: 0o700 });
  await writeFileAtomic(file, `${JSON.stringify(all.slice(-rememberedMax))}\n`);
}

function readRecords(paths: Paths): readonly PauseRecord[] {
  try {
    return JSON.parse(String(readRegularFileSync(fileOf(paths)) ?? "[]")) as PauseRecord[];
  } catch {
    return []; // no job was ever paused, or the file is damaged
  }
}

/** Those that are still in force. */
const readReasons = (paths: Paths): ReadonlyMap<string, string> =>
  new Map(
    readRecords(paths)
      .filter(({ isResumed }) => isResumed !== true)
      .map(({ job, reason }) => [job, reason]),
  );

/** The reason why workers of this data folder paused a job; undefined if they did not, or if it was resumed. */
export function pausedFor(paths: Paths, job: string): string | undefined {
  const reason = readReasons(paths).get(job);
  return reason === undefined ? undefined : pauseText(reason);
}

/**
 * Jobs that are still paused. A job that a user paused counts only while it has unfinished tasks.
 */
export async function readPausedJobs(
  paths: Paths,
  queue: Pick<Queue, "jobs" | "stats">,
): Promise<readonly PausedJob[]> {
  if ((await queue.stats()).jobs.paused === 0) return [];
  const reasons = readReasons(paths);
  return (await queue.jobs()).flatMap(({ name, isPaused, ended, pending, running }) => {
    const reason = reasons.get(name);
    const left = pending + running;
    if (!isPaused || ended !== null || (left === 0 && reason === undefined)) return [];
    return [{ job: name, left, ...(reason !== undefined && { reason, why: pauseText(reason) }) }];
  });
}

export const pauseText = (reason: string): string =>
  `none of its first ${firstHosts} websites could be read (${reason}); ${adviceFor(reason)}`;

function adviceFor(reason: string): string {
  const advice = advices.find(([reasons]) => reasons.includes(reason))?.[1];
  return advice ?? "crawl one of them with `forager crawl` to see the reason";
}

const advices: readonly (readonly [reasons: readonly string[], advice: string])[] = [
  [
    ["private_address"],
    "these addresses are not public: set crawl.allowPrivateNetworks if they are yours",
  ],
  [
    ["dns", "refused", "reset", "timeout", "tls"],
    "check the network, DNS and proxy of this machine",
  ],
  [["parked"], "check if the DNS or the proxy of this machine leads to another website"],
  [["needs_scripts"], "install Chromium, see crawl.browser"],
  [
    ["robots"],
    "their robots.txt forbids visits: leave them out, or check one with `forager crawl`",
  ],
  [
    ["blocked", "http_401", "http_403", "http_429", "http_503"],
    "they refuse this machine: check crawl.contact and its network, or raise crawl.delayMs",
  ],
];

const fileOf = (paths: Paths): string => paths.resolve("work", "paused-jobs.json");
