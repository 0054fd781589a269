import type { Queue, TaskInput } from "../../queue/index.ts";
import { site } from "./profile.ts";

/** `workMs`: working time in addition to fetching the page. */
export type LoadPayload = { readonly path: string; readonly workMs?: number };

/**
 * The jobs of a load test. A queue may be full (a shard of a bucket holds a limited number of
 * tasks): tasks that do not fit wait here, and their job is not sealed yet.
 */
export interface LoadJobs {
  /** Crawls one invented site. */
  openSite(pages: number): Promise<void>;
  /** Has a cap, and no gate. */
  openUngated(pages: number): Promise<void>;
  /** Has no cap and no gate, and longer tasks. */
  openFree(pages: number, workMs: number): Promise<void>;
  /** Adds tasks that did not fit before. */
  topUp(): Promise<void>;
  /** The number of sites so far. */
  sites(): number;
  /** No task waits here to be added. */
  isAllAdded(): boolean;
  /** Tasks that the queue has acknowledged, by `taskName`. */
  acknowledged(): ReadonlySet<string>;
  /** By job; an absent job has no cap. */
  caps(): ReadonlyMap<string, number>;
}

/** JSON separates the parts. */
export const taskName = ({ job, key }: { readonly job: string; readonly key: string }): string =>
  JSON.stringify([job, key]);

interface Backlog {
  readonly job: string;
  readonly tasks: TaskInput[];
}

const batchMax = 1_000;

export function createLoadJobs(queue: Queue): LoadJobs {
  const backlogs: Backlog[] = [];
  const acknowledged = new Set<string>();
  const caps = new Map<string, number>();
  const opened = { site: 0, ungated: 0, free: 0 };

  /** Returns whether all of it is in the queue now. */
  async function addAll({ job, tasks }: Backlog): Promise<boolean> {
    while (tasks.length > 0) {
      const batch = tasks.splice(0, batchMax);
      const answers = await queue.add(batch);
      const refused = batch.filter((_, at) => answers[at]?.status === "full");
      for (const [at, { key }] of batch.entries()) {
        if (answers[at]?.status === "added") acknowledged.add(taskName({ job, key: key! }));
      }
      tasks.unshift(...refused);
      if (refused.length > 0) return false;
    }
    await queue.seal(job);
    return true;
  }

  async function topUp(): Promise<void> {
    while (backlogs[0] && (await addAll(backlogs[0]))) backlogs.shift();
  }

  async function open(job: string, pages: number, { gate = "", cap = 0, workMs = 0 }) {
    await queue.openJob(job, cap > 0 ? { concurrency: cap } : {});
    if (cap > 0) caps.set(job, cap);
    const tasks = Array.from({ length: pages }, (_, at) => pageTask({ job, gate, at, workMs }));
    backlogs.push({ job, tasks });
    await topUp();
  }

  return {
    topUp,
    isAllAdded: () => backlogs.length === 0,
    sites: () => opened.site,
    acknowledged: () => acknowledged,
    caps: () => caps,
    async openSite(pages) {
      const { delayMs, limit, cap } = site;
      const job = `site-${opened.site++}`;
      const gate = `${job}.example`;
      await queue.setGate(gate, { delayMs, limit });
      await open(job, pages, { gate, cap });
    },
    openUngated: (pages) => open(`ungated-${opened.ungated++}`, pages, { cap: site.cap }),
    openFree: (pages, workMs) => open(`free-${opened.free++}`, pages, { workMs }),
  };
}

interface Page {
  readonly job: string;
  readonly gate: string;
  readonly at: number;
  readonly workMs: number;
}

const pageTask = ({ job, gate, at, workMs }: Page): TaskInput => ({
  kind: "page",
  key: `page-${at}`,
  job,
  gate,
  payload: { path: `/${job}/${at}`, ...(workMs > 0 && { workMs }) } satisfies LoadPayload,
  attemptsMax: 50,
});
