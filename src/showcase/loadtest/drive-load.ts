import { AppError } from "../../base/app-error.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import type { Queue } from "../../queue/index.ts";
import type { ProgressHandle } from "../../base/progress-handle.ts";
import { slowCalls } from "./judge.ts";
import type { LoadWorkers } from "./load-workers.ts";
import type { LoadJobs } from "./load-jobs.ts";
import { late, slowCallSeconds, ungated, warmUp, type Profile } from "./profile.ts";
import type { ContinueWhen } from "./stop-worker.ts";

export interface DriveOptions {
  readonly queue: Queue;
  readonly address: string;
  readonly pool: LoadWorkers;
  readonly jobs: LoadJobs;
  readonly profile: Profile;
  readonly timeScale: number;
  /** Pages of each job. */
  readonly pages: number;
  /** All tasks, including those of the warm-up. */
  readonly tasks: number;
  /** When each stopped worker is continued. */
  readonly stops: readonly ContinueWhen[];
  readonly progress: ProgressHandle;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly note: (text: string) => void;
}

export interface Driven {
  /**
   * The time from the end of the arrivals to the last slow call to the queue; 0 if there was none.
   */
  readonly recoveryMs: number;
  /** The peak memory of the workers. */
  readonly peakBytes: number;
  readonly elapsedMs: number;
}

const lookMs = 500;
const killsPlanned = 4;
const stopTriesMax = 3;
const restMs = 2_000;
/** V8 returns unused memory a minute after the last work. A short run waits less. */
const afterMsMax = 90_000;
/** The limit of a run beyond its own length. */
const patienceMs = 120_000;

/**
 * The memory of idle workers after their first work. By then code is loaded and compiled, which the
 * load test does not measure.
 */
export async function warmUpWorkers(options: DriveOptions): Promise<number> {
  const { queue, jobs, pool, clock, signal } = options;
  for (let job = 0; job < warmUp.jobs; job++) await jobs.openSite(warmUp.pages);
  const deadlineMs = clock.monotonicMs() + patienceMs;
  while (!(await isOver(queue))) {
    await sleep(clock, lookMs, signal);
    if (clock.monotonicMs() < deadlineMs) continue;
    throw new AppError("unavailable", "loadtest_no_worker", "no worker of the load test began");
  }
  await sleep(clock, restMs, signal);
  return pool.memoryBytes();
}

/**
 * Adds jobs over time, kills workers now and then, stops and continues others, and watches until
 * all jobs have ended. A queue that loses tasks ends too soon, and one that never completes them
 * runs out of time; the checks after the run report both.
 */
export async function driveLoad(options: DriveOptions): Promise<Driven> {
  const { queue, pool, jobs, profile, timeScale, clock, signal, note } = options;
  const startMs = clock.monotonicMs();
  const arrivalMs = profile.arrivalMs / timeScale;
  const durationMs = profile.durationMs / timeScale;
  let ended = 0;
  let killed = 0;
  const stopping = createStopping(options);
  const slowNow = () => slowCalls(pool.steadyMetrics(), slowCallSeconds(options.address));
  let slow = slowNow();
  let lastSlowMs = 0;
  let peakBytes = 0;
  for (let job = 0; job < ungated.jobs; job++) await jobs.openUngated(ungated.pages);
  for (;;) {
    const passedMs = clock.monotonicMs() - startMs;
    const due = Math.min(profile.jobs, 1 + Math.floor((passedMs / arrivalMs) * profile.jobs));
    await jobs.topUp();
    while (jobs.sites() < warmUp.jobs + due) await jobs.openSite(options.pages);
    const isKillDue = passedMs > ((killed + 1) * durationMs) / (killsPlanned + 2);
    if (killed < killsPlanned && isKillDue && !stopping.isUnderWay()) {
      killed += 1;
      note(`${pool.replaceOne()} killed with -9, replaced`);
    }
    await stopping.next(passedMs / durationMs);
    const { done, failed, skipped } = (await queue.stats()).states;
    options.progress.advance(done + failed + skipped - ended);
    ended = done + failed + skipped;
    const found = slowNow();
    // A worker that is stopped inside a transaction delays others for a while.
    if (found > slow && !stopping.isUnderWay()) lastSlowMs = passedMs;
    slow = found;
    peakBytes = Math.max(peakBytes, pool.memoryBytes());
    const isStuck = passedMs > durationMs + patienceMs + stopping.tookMs();
    const isAllSent = due === profile.jobs && killed === killsPlanned && stopping.isOver();
    if (isStuck || (isAllSent && jobs.isAllAdded() && (await isOver(queue)))) {
      if (isStuck) note(`stuck: ${ended} of ${options.tasks} tasks have ended`);
      return { recoveryMs: Math.max(0, lastSlowMs - arrivalMs), peakBytes, elapsedMs: passedMs };
    }
    await sleep(clock, lookMs, signal);
  }
}

/**
 * Stops and continues one worker after the other, each with a job whose tasks it finishes too late.
 */
function createStopping({ pool, jobs, clock, signal, note, stops }: DriveOptions) {
  let over = 0;
  let tries = 0;
  let underWay: Promise<void> | undefined;
  let sinceMs = 0;
  let tookMs = 0;
  return {
    isUnderWay: () => underWay !== undefined,
    isOver: () => over === stops.length,
    /** How long workers were stopped so far. This time does not count as load. */
    tookMs: () => tookMs + (underWay ? clock.monotonicMs() - sinceMs : 0),
    async next(passed: number): Promise<void> {
      const when = stops[over];
      if (!when || underWay || passed < (over + 1) / (stops.length + 2)) return;
      sinceMs = clock.monotonicMs();
      tries += 1;
      underWay = pool
        .stopOne(when, signal)
        .then((wasLate) => {
          if (!wasLate && tries < stopTriesMax) return;
          over += 1;
          tries = 0;
        })
        .catch(() => {}) // the load test is being ended, and reports that itself
        .finally(() => {
          underWay = undefined;
          tookMs += clock.monotonicMs() - sinceMs;
        });
      note(`a worker is stopped until its tasks are ${when}, then continued`);
      await jobs.openFree(late.pages, late.workMs);
    },
  };
}

async function isOver(queue: Queue): Promise<boolean> {
  const { states } = await queue.stats();
  if (states.pending + states.running > 0) return false;
  const jobs = await queue.jobs();
  return jobs.every(({ name, ended }) => name === "default" || ended !== null);
}

/** The memory of idle workers after the load: as soon as it is low enough, or after a limit. */
export async function memoryAfter(options: DriveOptions, enoughBytes: number): Promise<number> {
  const { pool, profile, timeScale, clock, signal } = options;
  const untilMs = clock.monotonicMs() + Math.min(afterMsMax, profile.durationMs / timeScale);
  await sleep(clock, restMs, signal);
  while (pool.memoryBytes() >= enoughBytes && clock.monotonicMs() < untilMs) {
    await sleep(clock, lookMs, signal);
  }
  return pool.memoryBytes();
}
