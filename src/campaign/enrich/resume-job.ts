import type { JobAnswer, Queue, Task } from "../../queue/index.ts";
import { isVisitRead } from "../../records/index.ts";
import { enrichKind } from "../tasks.ts";
import { firstTask, visitSchema, type VisitPayload } from "./visit-task.ts";

export interface ResumedJob {
  readonly answer: JobAnswer;
  /** The number of visits of unreadable websites that were put back into the queue. */
  readonly again: number;
}

const pageSize = 500;
/** A job pauses after its first visits, so all of them are among the newest ended tasks. */
const pagesMax = 10;

/**
 * Resumes a job. A job pauses by itself when its first websites cannot be read, because of the
 * network or a setting on this side. So if most of its visits could not read their website, those
 * visits are put back first: otherwise only the rest of the job would ever be visited.
 */
export async function resumeJob(
  queue: Pick<Queue, "resume" | "ended" | "add" | "job">,
  name: string,
  { nowMs }: { readonly nowMs: number },
): Promise<ResumedJob> {
  const job = await queue.job(name);
  const again = job && job.ended === null ? await addUnreadAgain(queue, name, nowMs) : 0;
  return { answer: await queue.resume(name), again };
}

async function addUnreadAgain(
  queue: Pick<Queue, "ended" | "add">,
  job: string,
  nowMs: number,
): Promise<number> {
  const visits = [...(await newestVisits(queue, job)).values()];
  const unread = visits.filter((visit) => !isVisitRead(visit));
  if (unread.length * 2 <= visits.length) return 0;
  const after = new Date(nowMs).toISOString();
  let added = 0;
  for (let from = 0; from < unread.length; from += pageSize) {
    const some = unread.slice(from, from + pageSize);
    const tasks = some.map(
      ({ payload: { target, website, campaign }, id }) =>
      // The id of the visit that failed makes a second call a duplicate.
      firstTask({ job, round: `again ${id}`, target, website, after, ...(campaign !== undefined && { campaign }) }), // prettier-ignore
    );
    const answers = await queue.add(tasks);
    added += answers.filter(({ status }) => status === "added").length;
  }
  return added;
}

interface NewestVisit {
  readonly id: number;
  readonly outcome: string;
  readonly reason?: string;
  readonly payload: VisitPayload;
}

/** By company. A visit is a chain of tasks, and only the last of them has an outcome. */
async function newestVisits(
  queue: Pick<Queue, "ended">,
  job: string,
): Promise<ReadonlyMap<string, NewestVisit>> {
  const visits = new Map<string, NewestVisit>();
  let after: Task | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    const tasks = await queue.ended({
      states: ["done"],
      kind: enrichKind,
      job,
      isNewestFirst: true,
      limit: pageSize,
      ...(after && { after }),
    });
    for (const task of tasks) {
      const visit = visitOf(task);
      if (visit && !visits.has(visit.payload.target)) visits.set(visit.payload.target, visit);
    }
    after = tasks.at(-1);
    if (tasks.length < pageSize) break;
  }
  return visits;
}

function visitOf({ id, payload, result }: Task): NewestVisit | undefined {
  const { outcome, reason } = (JSON.parse(result ?? "null") ?? {}) as Readonly<
    Record<"outcome" | "reason", unknown>
  >;
  const parsed = visitSchema.safeParse(JSON.parse(payload));
  if (typeof outcome !== "string" || !parsed.success) return undefined;
  const why = typeof reason === "string" ? { reason } : {};
  return { id, outcome, ...why, payload: parsed.data };
}
