import { AppError } from "../../base/app-error.ts";
import { resumeJob } from "../../campaign/index.ts";
import { deliveryKind } from "../../notify/index.ts";
import { raiseTask, type EndedCursor, type FinishedInput, type JobAnswer, type Queue } from "../../queue/index.ts"; // prettier-ignore
import { scheduleKind } from "../../schedule/index.ts";
import type { queueWriteRoutes } from "../contract/queue-write-routes.ts";
import type { Scope } from "../contract/route.ts";
import type { HandlersOf } from "../handler.ts";
import { notFound, ProblemError } from "../problems.ts";
import { asEnded, defined, gateValue } from "./queue-handlers.ts";

/**
 * A delivery is signed with the secret of the webhook, whatever its payload is. The task of a
 * schedule does what its payload says: it publishes, exports or erases.
 */
const scopeOfKind: ReadonlyMap<string, Scope> = new Map([
  [deliveryKind, "webhooks:write"],
  [scheduleKind, "campaigns:write"],
]);

export const queueWriteHandlers: HandlersOf<typeof queueWriteRoutes> = {
  async addTasks({ body: { tasks } }, { queue: open, caller }) {
    for (const { kind = "" } of tasks) {
      const needed = scopeOfKind.get(kind);
      if (needed === undefined || caller.scopes.includes(needed)) continue;
      const detail = `tasks of the kind ${kind} need the scope ${needed}`;
      throw new ProblemError(403, "missing_scope", detail);
    }
    const added = await (await open()).add(tasks.map((task) => ({ kind: "", ...defined(task) })));
    return { rows: added.map((one) => ({ ...one })) };
  },
  async raiseTask({ params: { id }, body: { priority, isDueNow } }, { queue: open }) {
    return { isChanged: await raiseTask(await open(), id, { priority, isDueNow }) };
  },
  async setJob({ params: { job }, body }, { queue: open }) {
    const queue = await open();
    return changeJob(queue, job, () => queue.openJob(job, defined(body)));
  },
  async pauseJob({ params: { job } }, { queue: open }) {
    const queue = await open();
    return changeJob(queue, job, () => queue.pause(job));
  },
  async resumeJob({ params: { job } }, { queue: open, clock }) {
    const queue = await open();
    const nowMs = clock.nowMs();
    return changeJob(queue, job, async () => (await resumeJob(queue, job, { nowMs })).answer);
  },
  async sealJob({ params: { job } }, { queue: open }) {
    const queue = await open();
    return changeJob(queue, job, () => queue.seal(job));
  },
  async cancelJob({ params: { job }, body: { confirm } }, { queue: open }) {
    if (confirm !== job) {
      const detail = `body.confirm: repeat '${job}', the job that is ended`;
      throw new ProblemError(400, "not_confirmed", detail);
    }
    const queue = await open();
    return changeJob(queue, job, () => queue.cancel(job));
  },
  async setGate({ params: { gate }, body: { blockForMs, ...settings } }, { queue: open }) {
    const queue = await open();
    if (Object.keys(defined(settings)).length > 0) await queue.setGate(gate, defined(settings));
    if (blockForMs !== undefined) await queue.block(gate, blockForMs);
    const found = await queue.gate(gate);
    if (!found) throw notFound(`gate '${gate}': it has neither tasks nor settings`);
    return gateValue(found, (await queue.now()).ms);
  },
  async retryTasks({ body: { state, olderThanMs, ...filter } }, { queue: open }) {
    const queue = await open();
    const finished = await finishedBefore(queue, olderThanMs);
    return { changed: await queue.retry({ states: state, ...defined(filter), ...finished }) };
  },
  async purgeTasks({ body: { state, olderThanMs, ...filter } }, { queue: open }) {
    const queue = await open();
    const finished = await finishedBefore(queue, olderThanMs);
    return { changed: await queue.purge({ states: state, ...defined(filter), ...finished }) };
  },
  async queueLog({ query: { state, after, limit, ...query } }, { queue: open }) {
    const rows = await (
      await open()
    ).log({
      ...defined(query),
      limit,
      ...(state && state.length > 0 && { states: state }),
      ...(after !== undefined && { after: cursorOf(after) }),
    });
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return { rows: rows.map(asEnded), next: last ? `${last.finishedAtMs}-${last.id}` : null };
  },
  async pruneLog({ body: { before } }, { queue: open }) {
    return { changed: await (await open()).pruneLog(Math.max(0, Date.parse(before))) };
  },
  reconcileQueue: async ({ body: { repair } }, { queue: open }) =>
    (await open()).reconcile({ repair }),
};

/** Relative times count from the queue's own clock, which wrote the finish times. */
async function finishedBefore(
  queue: Queue,
  ageMs: number | undefined,
): Promise<Pick<FinishedInput, "finishedBeforeMs">> {
  if (ageMs === undefined) return {};
  return { finishedBeforeMs: Math.max(0, (await queue.now()).ms - ageMs) };
}

export async function changeJob(queue: Queue, name: string, change: () => Promise<JobAnswer>) {
  const answer = await change();
  const job = await queue.job(name);
  if (answer === "absent" || !job) throw notFound(`job '${name}'`);
  if (answer === "closed") {
    const message = `job '${name}' is ${job.ended ?? "sealed"}: only a retry opens it again`;
    throw new AppError("conflict", "job_ended", message);
  }
  return job;
}

function cursorOf(text: string): EndedCursor {
  const [, at, id] = /^(\d{1,16}(?:\.\d{1,9})?)-(\d{1,15})$/.exec(text) ?? [];
  if (at !== undefined) return { finishedAtMs: Number(at), id: Number(id) };
  throw new ProblemError(400, "bad_cursor", "query.after: use `next` of the previous page");
}
