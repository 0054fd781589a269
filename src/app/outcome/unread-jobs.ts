import { enrichKind } from "../../campaign/index.ts";
import type { Queue, Task } from "../../queue/index.ts";
import { isNothingRead, type VisitCount } from "./visit-counts.ts";

/** A job whose ended visits have read no website. It may still have pending visits. */
export interface UnreadJob {
  readonly job: string;
  readonly visits: readonly VisitCount[];
  /** Unfinished tasks, among them visits that were put back into the queue. */
  readonly left: number;
}

/** Only this many of the newest tasks are read; a job is paused well before that. */
const tasksReadMax = 500;
/** A bucket queue reads all ended tasks at once, so larger ones are skipped. */
const rememberedMax = 20_000;

/**
 * Jobs whose websites could not be read, for any reason: no answer, 403, robots.txt, parked. A
 * visit counts until its company is visited again, by any job. Companies are counted, as the summary
 * of the work does: several may share one website.
 */
export async function readUnreadJobs(
  queue: Pick<Queue, "stats" | "ended" | "job" | "hasTaskLimit">,
): Promise<readonly UnreadJob[]> {
  const { kinds, states } = await queue.stats();
  const remembered = states.done + states.skipped + states.failed;
  if (!kinds.some(({ kind, done }) => kind === enrichKind && done > 0)) return [];
  if (queue.hasTaskLimit === true && remembered > rememberedMax) return [];
  const newest = await queue.ended({
    states: ["done"],
    kind: enrichKind,
    isNewestFirst: true,
    limit: tasksReadMax,
  });
  const unread = [...byJob(newestOfCompany(newest))]
    .map(([job, ended]) => ({ job, visits: groupVisits(ended) }))
    .filter(({ visits }) => isNothingRead(visits));
  const found: UnreadJob[] = [];
  for (const one of unread) {
    const job = await queue.job(one.job);
    found.push({ ...one, left: (job?.pending ?? 0) + (job?.running ?? 0) });
  }
  return found;
}

interface Ended {
  readonly job: string;
  readonly outcome: string;
  readonly reason: string;
}

/** A visit is a chain of tasks; only the last of them has an outcome. */
function newestOfCompany(tasks: readonly Task[]): readonly Ended[] {
  const companies = new Set<string>();
  return tasks.flatMap(({ job, payload, result }) => {
    const said = JSON.parse(result ?? "null") as { outcome?: unknown; reason?: unknown } | null;
    const { outcome, reason } = said ?? {};
    const target = (JSON.parse(payload) as { target?: unknown } | null)?.target;
    if (typeof outcome !== "string" || typeof target !== "string") return [];
    if (companies.has(target)) return [];
    companies.add(target);
    return [{ job, outcome, reason: typeof reason === "string" ? reason : "" }];
  });
}

function byJob(visits: readonly Ended[]): ReadonlyMap<string, readonly Ended[]> {
  const jobs = new Map<string, Ended[]>();
  for (const one of visits) jobs.set(one.job, [...(jobs.get(one.job) ?? []), one]);
  return jobs;
}

function groupVisits(visits: readonly Ended[]): readonly VisitCount[] {
  const counts = new Map<string, VisitCount>();
  for (const { outcome, reason } of visits) {
    const id = `${outcome} ${reason}`;
    const count = (counts.get(id)?.count ?? 0) + 1;
    counts.set(id, { outcome, reason, count });
  }
  return [...counts.values()].toSorted((a, b) => b.count - a.count);
}
