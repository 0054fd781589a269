import { every } from "../base/every.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Service } from "../base/service.ts";
import type { Job, Queue, QueueStats } from "../queue/index.ts";
import { deliveryJob } from "./delivery.ts";
import type { Endpoints } from "./endpoints.ts";
import type { EventPublisher, NewEvent } from "./events.ts";

export interface JobWatcherOptions {
  readonly queue: () => Pick<Queue, "ended" | "jobs" | "now">;
  /**
   * The statistics that the process last read anyway. As long as they do not change, the queue is
   * not read.
   */
  readonly stats: () => QueueStats | undefined;
  readonly endpoints: Pick<Endpoints, "list">;
  readonly publisher: EventPublisher;
  /** Names of all campaigns. The job of a campaign has the campaign's name. */
  readonly campaigns: () => Promise<readonly string[]>;
  /** True if requests to the queue cost money: it is then read less often. */
  readonly isCharged: boolean;
  /** True if the process ends when no work is left. */
  readonly isDraining: boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

const lookMs = 2_000;
const quietMs = 10_000;
const chargedMs = 60_000;
/** Events that are older are not published by a node that was off. */
const oldMs = 7 * 86_400_000;
/**
 * How many published events this process remembers. If it forgets one, the queue still recognises
 * its key.
 */
const publishedMax = 10_000;

/**
 * Publishes that a job has completed, and that a campaign has no tasks left. Every node may run
 * one: the key identifies the event, so the queue stores each delivery once.
 */
export function createJobWatcher(options: JobWatcherOptions): Service & { look(): Promise<void> } {
  const { endpoints, publisher, clock, log } = options;
  let seen = "";
  let publishedMs = -Infinity;
  /** By campaign: the state of its job when no task was left, and since when. */
  const quiet = new Map<string, { readonly state: string; readonly sinceMs: number }>();
  const published = new Set<string>();

  async function look({ isLast = false } = {}): Promise<void> {
    const stats = options.stats();
    if (!stats) return;
    const state = JSON.stringify([stats.states, stats.jobs]);
    if (state === seen && quiet.size === 0 && !isLast) return;
    const nowMs = clock.monotonicMs();
    if (!isLast && options.isCharged && nowMs - publishedMs < chargedMs) return;
    publishedMs = nowMs;
    if ((await endpoints.list()).length === 0) {
      seen = state;
      return;
    }
    const queue = options.queue();
    const jobs = await queue.jobs();
    const { ms, wallMs } = await queue.now();
    const campaigns = new Set(await options.campaigns());
    if (published.size > publishedMax) published.clear();
    for (const job of jobs) {
      const event = campaigns.has(job.name) ? finishedCampaign(job, { nowMs, isLast }) : completedJob(job); // prettier-ignore
      if (!event || published.has(event.key)) continue;
      const endedAtMs = event.atMs ?? (await lastEnd(queue, job.name));
      const atMs = endedAtMs === undefined ? -Infinity : Math.round(endedAtMs + wallMs - ms);
      if (wallMs - atMs < oldMs) await publisher.publish({ ...event, atMs });
      published.add(event.key);
    }
    seen = state;
  }

  /**
   * Tasks of a campaign may be added in several steps, so it counts as finished only after a quiet
   * period.
   */
  function finishedCampaign(
    job: Job,
    { nowMs, isLast }: { readonly nowMs: number; readonly isLast: boolean },
  ): EndedEvent | undefined {
    const { name, added, done, skipped, failed } = job;
    if (job.pending + job.running > 0 || added === 0) {
      quiet.delete(name);
      return undefined;
    }
    const state = `${name} ${added} ${done} ${skipped} ${failed}`;
    if (published.has(state)) return undefined;
    const known = quiet.get(name);
    if (known?.state !== state) quiet.set(name, { state, sinceMs: nowMs });
    const sinceMs = known?.state === state ? known.sinceMs : nowMs;
    if (!isLast && nowMs - sinceMs < quietMs) return undefined;
    quiet.delete(name);
    const data = { campaign: name, done, skipped, failed };
    return { type: "campaign.finished", key: state, data };
  }

  const warn = (error: unknown) => log.warn("could not add webhook events", { error });
  const looks = every(() => look(), { clock, pauseMs: lookMs, onError: warn });

  return {
    look,
    start: () => looks.start(),
    async stop() {
      await looks.stop();
      // A process that drains its queue ends as soon as the last task has ended.
      if (options.isDraining) await look({ isLast: true }).catch(warn);
    },
  };
}

/** `atMs` uses the clock of the queue; if absent, the end of the job's last task is used. */
type EndedEvent = Omit<NewEvent, "atMs"> & { readonly atMs?: number };

function completedJob(job: Job): EndedEvent | undefined {
  const { name, ended, completions, openedAtMs, endedAtMs, done, skipped, failed } = job;
  if (ended !== "completed" || name === deliveryJob) return undefined;
  const data = { job: name, done, skipped, failed };
  const key = `${name} ${openedAtMs} ${completions}`;
  return { type: "job.completed", key, atMs: endedAtMs, data };
}

async function lastEnd(queue: Pick<Queue, "ended">, job: string): Promise<number | undefined> {
  const [last] = await queue.ended({ job, isNewestFirst: true, limit: 1 });
  return last?.finishedAtMs;
}
