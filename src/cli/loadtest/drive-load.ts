import { AppError } from "../../base/app-error.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import type { Queue } from "../../queue/index.ts";
import type { ProgressHandle } from "../progress.ts";
import { slowCalls } from "./judge.ts";
import type { LoadCrew } from "./load-crew.ts";
import type { LoadJobs } from "./load-jobs.ts";
import { slowCallSeconds, warmUp, type Profile } from "./profile.ts";

export interface DriveOptions {
  readonly queue: Queue;
  readonly address: string;
  readonly crew: LoadCrew;
  readonly jobs: LoadJobs;
  readonly profile: Profile;
  readonly timeScale: number;
  /** Of each job. */
  readonly pages: number;
  /** With those of the warm-up. */
  readonly tasks: number;
  readonly progress: ProgressHandle;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly note: (text: string) => void;
}

export interface Driven {
  /** From the end of the arrivals until the last slow call to the queue; 0 when there was none. */
  readonly recoveryMs: number;
  /** Of the workers, at the worst moment. */
  readonly peakBytes: number;
  readonly elapsedMs: number;
}

const lookMs = 500;
const killsWanted = 4;
const restMs = 2_000;
/** V8 gives back what it does not need a minute after the last work. A short run waits less. */
const afterMsMax = 90_000;
/** Beyond the run's own length, before it is called stuck. */
const patienceMs = 120_000;

/**
 * What workers take that rest after their first work: code is loaded and compiled by then, which
 * is not what a load test asks about.
 */
export async function warmUpCrew(options: DriveOptions): Promise<number> {
  const { queue, jobs, crew, clock, signal } = options;
  for (let job = 0; job < warmUp.jobs; job++) await jobs.open(warmUp.pages);
  const deadlineMs = clock.monotonicMs() + patienceMs;
  while ((await queue.stats()).states.done < warmUp.jobs * warmUp.pages) {
    await sleep(clock, lookMs, signal);
    if (clock.monotonicMs() < deadlineMs) continue;
    throw new AppError("unavailable", "loadtest_no_worker", "no worker of the load test began");
  }
  await sleep(clock, restMs, signal);
  return crew.memoryBytes();
}

/** Lets the jobs arrive, kills workers now and then, and looks until all jobs have ended. */
export async function driveLoad(options: DriveOptions): Promise<Driven> {
  const { queue, crew, jobs, profile, timeScale, clock, signal, note } = options;
  const startMs = clock.monotonicMs();
  const arrivalMs = profile.arrivalMs / timeScale;
  const durationMs = profile.durationMs / timeScale;
  let ended = 0;
  let killed = 0;
  const slowNow = () => slowCalls(crew.metrics(), slowCallSeconds(options.address));
  let slow = slowNow();
  let lastSlowMs = 0;
  let peakBytes = 0;
  for (;;) {
    const passedMs = clock.monotonicMs() - startMs;
    const due = Math.min(profile.jobs, 1 + Math.floor((passedMs / arrivalMs) * profile.jobs));
    await jobs.topUp();
    while (jobs.opened() < warmUp.jobs + due) await jobs.open(options.pages);
    if (killed < killsWanted && passedMs > ((killed + 1) * durationMs) / (killsWanted + 2)) {
      killed += 1;
      note(`${crew.replaceOne()} killed with -9, another hired`);
    }
    const { done, failed, skipped } = (await queue.stats()).states;
    options.progress.advance(done + failed + skipped - ended);
    ended = done + failed + skipped;
    const found = slowNow();
    if (found > slow) lastSlowMs = passedMs;
    slow = found;
    peakBytes = Math.max(peakBytes, crew.memoryBytes());
    if (ended === options.tasks && (await haveEnded(queue))) {
      return { recoveryMs: Math.max(0, lastSlowMs - arrivalMs), peakBytes, elapsedMs: passedMs };
    }
    if (passedMs > durationMs + patienceMs) {
      const text = `the load test is stuck: ${ended} of ${options.tasks} tasks have ended`;
      throw new AppError("internal", "loadtest_stuck", text);
    }
    await sleep(clock, lookMs, signal);
  }
}

async function haveEnded(queue: Queue): Promise<boolean> {
  const jobs = await queue.jobs();
  return jobs.every(({ name, ended }) => name === "default" || ended !== null);
}

/** What workers take that rest again: as soon as it is little enough, or after a while. */
export async function memoryAfter(options: DriveOptions, enoughBytes: number): Promise<number> {
  const { crew, profile, timeScale, clock, signal } = options;
  const untilMs = clock.monotonicMs() + Math.min(afterMsMax, profile.durationMs / timeScale);
  await sleep(clock, restMs, signal);
  while (crew.memoryBytes() >= enoughBytes && clock.monotonicMs() < untilMs) {
    await sleep(clock, lookMs, signal);
  }
  return crew.memoryBytes();
}
