import { availableParallelism, totalmem } from "node:os";
import { existsSync } from "node:fs";
import { AppError } from "../../base/app-error.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import { createSeededRandom } from "../../base/random.ts";
import { openQueue } from "../../app/index.ts";
import type { Queue, Task } from "../../queue/index.ts";
import { readVisitLogs } from "../demo/visit-log.ts";
import type { ProgressHandle } from "../progress.ts";
import { openFakeSite } from "./fake-site.ts";
import { judgeLoad, slowCalls, type Check } from "./judge.ts";
import { createLoadCrew, processorSeconds, type LoadCrew } from "./load-crew.ts";
import { openLoadJob, pagesOf, site, type Profile } from "./profile.ts";

export interface LoadtestOptions {
  readonly folder: string;
  readonly address: string;
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
  readonly elapsedMs: number;
  readonly tasksPerSecond: number;
  readonly answers: Readonly<Record<string, number>>;
  readonly checks: readonly Check[];
  readonly isGood: boolean;
}

const lookMs = 500;
/** Ten minutes of real time after the burst, scaled like the rest; below this it would be chance. */
const recoveryMs = 600_000;
const recoveryMsMin = 20_000;
const warmUp = { jobs: 9, pages: 10 } as const;
const killsWanted = 4;
const idleMs = 2_000;
/** Beyond the run's own length, before it is called stuck. */
const patienceMs = 120_000;

export async function runLoadtest(options: LoadtestOptions): Promise<LoadtestResult> {
  const { folder, address, profile, timeScale, workers, clock, signal } = options;
  await using queue = await openQueue(address);
  await using sites = await openFakeSite(clock, createSeededRandom(56));
  const crew = createLoadCrew({ folder, address, siteUrl: sites.url, workers, clock });
  const pages = pagesOf(profile, timeScale);
  const added = profile.jobs * pages + warmUp.jobs * warmUp.pages;
  const progress = options.startProgress(added);
  try {
    const idleBytes = await Promise.race([crew.mishap, idleMemory(crew, { ...options, queue })]);
    const startMs = clock.monotonicMs();
    const looked = await Promise.race([
      crew.mishap,
      drive({ ...options, queue, crew, pages, added, progress }),
    ]);
    const elapsedMs = clock.monotonicMs() - startMs;
    await sleep(clock, idleMs, signal);
    const afterBytes = crew.memoryBytes();
    await crew.stop();
    const cpuSeconds = processorSeconds(crew.metrics()) + ownProcessorSeconds();
    const checks = judgeLoad({
      added,
      tasks: await allTasks(queue),
      jobs: (await queue.jobs()).filter(({ name }) => name !== "default"),
      events: readVisitLogs(crew.logFiles().filter(existsSync)),
      kills: crew.kills,
      reconciled: await queue.reconcile(),
      metrics: crew.metrics(),
      gate: site,
      jobCap: site.cap,
      recoveryMs: looked.recoveryMs,
      recoveryMsMax: Math.max(recoveryMsMin, recoveryMs / timeScale),
      cpuFree: Math.max(0, 1 - cpuSeconds / (elapsedMs / 1_000) / availableParallelism()),
      memoryFree: 1 - looked.peakBytes / totalmem(),
      memoryAfterTimes: afterBytes / idleBytes,
    });
    return {
      profile: profile.name,
      timeScale,
      jobs: profile.jobs,
      tasks: added,
      workers,
      kills: crew.kills.size,
      elapsedMs,
      tasksPerSecond: (added / elapsedMs) * 1_000,
      answers: sites.answers(),
      checks,
      isGood: checks.every(({ isGood }) => isGood),
    };
  } finally {
    await crew.stop();
    progress.done();
  }
}

/**
 * What workers take that rest after their first work: code is loaded and compiled by then, which
 * is not what a load test asks about.
 */
async function idleMemory(crew: LoadCrew, options: WarmUpOptions): Promise<number> {
  const { queue, profile, clock, signal } = options;
  for (let job = 0; job < warmUp.jobs; job++) {
    await openLoadJob(queue, profile.jobs + job, warmUp.pages);
  }
  const deadlineMs = clock.monotonicMs() + patienceMs;
  while ((await queue.stats()).states.done < warmUp.jobs * warmUp.pages) {
    await sleep(clock, lookMs, signal);
    if (clock.monotonicMs() < deadlineMs) continue;
    throw new AppError("unavailable", "loadtest_no_worker", "no worker of the load test began");
  }
  await sleep(clock, idleMs, signal);
  return crew.memoryBytes();
}

interface WarmUpOptions extends LoadtestOptions {
  readonly queue: Queue;
}

interface DriveOptions extends LoadtestOptions {
  readonly queue: Queue;
  readonly crew: LoadCrew;
  readonly pages: number;
  readonly added: number;
  readonly progress: ProgressHandle;
}

/** Lets the jobs arrive, kills workers now and then, and looks until all jobs have ended. */
async function drive(options: DriveOptions): Promise<{ recoveryMs: number; peakBytes: number }> {
  const { queue, crew, pages, added, progress, profile, timeScale, clock, signal, note } = options;
  const startMs = clock.monotonicMs();
  const arrivalMs = profile.arrivalMs / timeScale;
  const durationMs = profile.durationMs / timeScale;
  let opened = 0;
  let ended = 0;
  let killed = 0;
  let slow = 0;
  let lastSlowMs = 0;
  let peakBytes = 0;
  for (;;) {
    const passedMs = clock.monotonicMs() - startMs;
    const due = Math.min(profile.jobs, 1 + Math.floor((passedMs / arrivalMs) * profile.jobs));
    while (opened < due) await openLoadJob(queue, opened++, pages);
    if (killed < killsWanted && passedMs > ((killed + 1) * durationMs) / (killsWanted + 2)) {
      killed += 1;
      note(`${crew.replaceOne()} killed with -9, another hired`);
    }
    const { done, failed, skipped } = (await queue.stats()).states;
    progress.advance(done + failed + skipped - ended);
    ended = done + failed + skipped;
    const slowNow = slowCalls(crew.metrics());
    if (slowNow > slow) lastSlowMs = passedMs;
    slow = slowNow;
    peakBytes = Math.max(peakBytes, crew.memoryBytes() + process.memoryUsage.rss());
    if (opened === profile.jobs && ended === added) {
      const jobs = await queue.jobs();
      if (jobs.every((job) => job.name === "default" || job.ended !== null)) {
        return { recoveryMs: Math.max(0, lastSlowMs - arrivalMs), peakBytes };
      }
    }
    if (passedMs > durationMs + patienceMs) {
      const text = `the load test is stuck: ${ended} of ${added} tasks have ended`;
      throw new AppError("internal", "loadtest_stuck", text);
    }
    await sleep(clock, lookMs, signal);
  }
}

function ownProcessorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function allTasks(queue: Queue): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  for (;;) {
    const page = await queue.browse({ afterId: tasks.at(-1)?.id ?? 0, limit: 5_000 });
    if (page.length === 0) return tasks;
    tasks.push(...page);
  }
}
