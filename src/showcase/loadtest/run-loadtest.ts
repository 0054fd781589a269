import { availableParallelism, totalmem } from "node:os";
import { existsSync } from "node:fs";
import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { createSeededRandom } from "../../base/random.ts";
import { openQueue, type OpenQueueOptions } from "../../app/index.ts";
import type { Queue, Task } from "../../queue/index.ts";
import { readVisitLogs } from "./visit-log.ts";
import type { ProgressHandle } from "../../base/progress-handle.ts";
import { openPacedSite } from "../fake-web/paced-site.ts";
import { driveLoad, memoryAfter, warmUpWorkers } from "./drive-load.ts";
import { judgeLoad, memoryAfterTimesMax, type LoadCheck } from "./judge.ts";
import { createLoadWorkers, processorSeconds } from "./load-workers.ts";
import { createLoadJobs } from "./load-jobs.ts";
import { late, pagesOf, site, ungated, warmUp, type Profile } from "./profile.ts";
import type { ContinueWhen } from "./stop-worker.ts";

export interface LoadtestOptions {
  readonly folder: string;
  readonly address: string;
  /** May contain a password. */
  readonly queueOptions: OpenQueueOptions;
  /** Where bucket requests are counted. */
  readonly data: string;
  readonly profile: Profile;
  readonly timeScale: number;
  readonly workers: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly startProgress: (total: number) => ProgressHandle;
  readonly note: (text: string) => void;
}

export interface LoadtestResult {
  readonly profile: string;
  readonly timeScale: number;
  readonly jobs: number;
  readonly tasks: number;
  readonly workers: number;
  readonly kills: number;
  readonly stops: number;
  readonly elapsedMs: number;
  readonly tasksPerSecond: number;
  readonly answers: Readonly<Record<string, number>>;
  readonly checks: readonly LoadCheck[];
  readonly isGood: boolean;
}

/**
 * Ten minutes of real time after the burst, scaled like the rest, but not so short that chance
 * decides.
 */
const recoveryMs = 600_000;
const recoveryMsMin = 20_000;
/** Once so that two workers have the task at the same time, once so that it has ended already. */
const stopsPlanned: readonly ContinueWhen[] = ["taken over", "done by another"];

export async function runLoadtest(options: LoadtestOptions): Promise<LoadtestResult> {
  const { folder, address, queueOptions, data, profile, timeScale, workers, clock } = options;
  await using queue = await openQueue(address, queueOptions);
  await mustBeEmpty(queue);
  await using sites = await openPacedSite(clock, createSeededRandom(56));
  const pool = createLoadWorkers({
    folder,
    address,
    queueOptions,
    data,
    siteUrl: sites.url,
    workers,
    clock,
  });
  const pages = pagesOf(profile, timeScale);
  // With a single worker no other can take its tasks over.
  const stops = workers > 1 ? stopsPlanned : [];
  const tasks =
    profile.jobs * pages +
    warmUp.jobs * warmUp.pages +
    ungated.jobs * ungated.pages +
    stops.length * late.pages;
  const progress = options.startProgress(tasks);
  const jobs = createLoadJobs(queue);
  const drive = { ...options, queue, pool, jobs, pages, tasks, stops, progress };
  const unlessWorkerFailed = <T>(work: Promise<T>) => Promise.race([pool.failed, work]);
  try {
    const idleBytes = await unlessWorkerFailed(warmUpWorkers(drive));
    const usedBefore = processorSeconds(pool.metrics());
    const { elapsedMs, ...driven } = await unlessWorkerFailed(driveLoad(drive));
    const used = processorSeconds(pool.metrics()) - usedBefore;
    const afterBytes = await unlessWorkerFailed(
      memoryAfter(drive, idleBytes * memoryAfterTimesMax),
    );
    await pool.stop();
    const checks = judgeLoad({
      acknowledged: jobs.acknowledged(),
      tasks: await allTasks(queue),
      jobs: (await queue.jobs()).filter(({ name }) => name !== "default"),
      events: readVisitLogs(pool.logFiles().filter(existsSync)),
      kills: pool.kills,
      stops: pool.stops,
      stopsPlanned: stops.length,
      reconciled: await queue.reconcile(),
      metrics: pool.metrics(),
      steadyMetrics: pool.steadyMetrics(),
      gate: site,
      jobCaps: jobs.caps(),
      recoveryMs: driven.recoveryMs,
      recoveryMsMax: Math.max(recoveryMsMin, recoveryMs / timeScale),
      cpuFree: Math.max(0, 1 - used / (elapsedMs / 1_000) / availableParallelism()),
      memoryFree: 1 - driven.peakBytes / totalmem(),
      memoryAfterTimes: afterBytes / idleBytes,
    });
    return {
      profile: profile.name,
      timeScale,
      jobs: profile.jobs,
      tasks: jobs.acknowledged().size,
      workers,
      kills: pool.kills.size,
      stops: pool.stops.length,
      elapsedMs,
      tasksPerSecond: (jobs.acknowledged().size / elapsedMs) * 1_000,
      answers: sites.answers(),
      checks,
      isGood: checks.every(({ isGood }) => isGood),
    };
  } finally {
    await pool.stop();
    progress.done();
  }
}

/** Tasks already in the queue would be worked on, counted, and reported as lost. */
async function mustBeEmpty(queue: Queue): Promise<void> {
  const { states, jobs } = await queue.stats();
  const tasks = Object.values(states).reduce((sum, count) => sum + count, 0);
  if (tasks === 0 && jobs.open + jobs.paused + jobs.ended <= 1) return;
  const text = `the queue holds ${tasks} tasks: a load test needs an empty one of its own`;
  throw new AppError("invalid", "loadtest_queue_in_use", text);
}

async function allTasks(queue: Queue): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  for (;;) {
    const page = await queue.browse({ afterId: tasks.at(-1)?.id ?? 0, limit: 5_000 });
    if (page.length === 0) return tasks;
    tasks.push(...page);
  }
}
