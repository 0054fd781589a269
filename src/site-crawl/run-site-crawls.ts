import { AppError } from "../base/app-error.ts";
import { sleep, type Clock } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Job, Queue } from "../queue/index.ts";
import { createWorker } from "../worker/index.ts";
import { crawlJob, type CrawlPlan } from "./crawl-plan.ts";
import type { SiteCrawlServices } from "./crawl-services.ts";
import { gateOf, pageTask } from "./page-tasks.ts";
import { createSitePageHandler } from "./site-page.ts";

export interface RunSiteCrawlsOptions {
  readonly plans: readonly CrawlPlan[];
  readonly queue: Queue;
  readonly services: SiteCrawlServices;
  readonly worker: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly leaseMs: number;
  /** Stops cleanly: unfinished tasks stay in the queue. */
  readonly signal: AbortSignal;
  /** Called each time the states of the jobs were read. */
  readonly onLook?: (jobs: readonly Job[]) => void;
}

/** Why a crawl ended: no page was left, or its limit of seconds or bytes was reached. */
export type CrawlEnd = "completed" | "seconds" | "bytes";

const lookMs = 100;
const graceMs = 10_000;

/**
 * Runs the crawls concurrently until all have ended, each with its own delay. After a crash, call
 * it again with the same plans: finished pages are not fetched again. Throws `aborted` on the
 * signal.
 */
export async function runSiteCrawls(
  options: RunSiteCrawlsOptions,
): Promise<ReadonlyMap<string, CrawlEnd>> {
  const { plans, queue, services, clock, signal, onLook } = options;
  for (const plan of plans) await begin(plan, options);
  const worker = createWorker({
    queue,
    name: options.worker,
    handlers: [createSitePageHandler()],
    services,
    // The gate of a host admits one page at a time, so slots beyond the number of hosts stay
    // unused. Most sites have one or two hosts.
    concurrency: Math.min(100, 2 * plans.length + 8),
    leaseMs: options.leaseMs,
    graceMs,
    clock,
    logger: options.log,
  });
  const ends = new Map<string, CrawlEnd>();
  const watch = async () => {
    for (;;) {
      const jobs: Job[] = [];
      for (const plan of plans) {
        const job = await jobOf(queue, plan);
        jobs.push(job);
        if (ends.has(plan.name)) continue;
        const spent = (await services.open(plan.name)).spent();
        if (job.ended !== null) {
          // When a limit is reached, the handler skips the remaining tasks, or they are cancelled.
          const isWhole = job.ended === "completed" && job.skipped === 0;
          ends.set(plan.name, isWhole ? "completed" : (spent ?? "seconds"));
        } else if (spent) {
          await queue.cancel(crawlJob(plan));
          ends.set(plan.name, spent);
        }
      }
      onLook?.(jobs);
      if (ends.size === plans.length) return;
      await sleep(clock, lookMs, signal);
    }
  };
  try {
    await worker.start();
    await Promise.race([watch(), worker.ended]);
  } catch (error) {
    await worker.stop();
    // A worker runs the pages of all jobs: the next crawl would continue a job that is not paused.
    if (signal.aborted) await pauseAll(queue, plans);
    throw error;
  } finally {
    await worker.stop();
  }
  if (ends.size < plans.length) throw new AppError("aborted", "crawl_stopped", "the crawl stopped");
  return ends;
}

/**
 * Adds the start page of a crawl. Safe to repeat: the page is not added twice, and a job that has
 * ended is not opened again.
 */
async function begin(plan: CrawlPlan, { queue, services }: RunSiteCrawlsOptions): Promise<void> {
  const job = crawlJob(plan);
  const known = await queue.job(job);
  if (known?.ended) return;
  if (known?.isPaused) await queue.resume(job);
  const { pages } = plan.budget;
  await (await services.open(plan.name)).prepareGate(gateOf(plan.start));
  await queue.openJob(job, { budget: pages });
  await queue.add([pageTask(plan, { url: plan.start, depth: 0, hops: 0, isStart: true })]);
  await queue.seal(job);
}

async function pauseAll(queue: Queue, plans: readonly CrawlPlan[]): Promise<void> {
  for (const plan of plans) {
    const job = await queue.job(crawlJob(plan));
    if (job?.ended === null) await queue.pause(job.name);
  }
}

async function jobOf(queue: Queue, plan: CrawlPlan): Promise<Job> {
  const job = await queue.job(crawlJob(plan));
  if (job) return job;
  const message = `the job ${crawlJob(plan)} of the crawl is gone from the queue`;
  throw new AppError("unavailable", "crawl_job_gone", message);
}
