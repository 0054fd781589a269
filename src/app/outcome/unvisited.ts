import { enrichKind } from "../../campaign/index.ts";
import type { Queue } from "../../queue/index.ts";

/** At most this many tasks are read; further companies without a visit count as waiting. */
const tasksMax = 20_000;
const pageSize = 500;

/**
 * Companies of a job that will not be visited without a change: `failed`, or the reason why the
 * visit was skipped, such as an exclusion. Skipped visits are reported after the job has no tasks
 * left: until then a visit that was skipped at one host may continue at another.
 */
export async function readUnvisited(
  queue: Pick<Queue, "job" | "ended">,
  name: string,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const job = await queue.job(name);
  if (!job || job.failed + job.skipped === 0) return found;
  const isOver = job.pending + job.running === 0;
  const states = isOver ? (["failed", "skipped"] as const) : (["failed"] as const);
  const lane = { kind: enrichKind, job: name, isNewestFirst: true, limit: pageSize };
  let page = await queue.ended({ ...lane, states });
  for (let read = page.length; page.length > 0; read += page.length) {
    for (const { payload, state, attempts } of page) {
      const { target } = (JSON.parse(payload) ?? {}) as { readonly target?: unknown };
      if (typeof target !== "string" || found.has(target)) continue;
      const reason = attempts.at(-1)?.reason.split("\n", 1)[0] ?? "";
      found.set(target, state === "skipped" && reason !== "" ? reason : state);
    }
    const after = page.at(-1);
    if (page.length < pageSize || read >= tasksMax || !after) break;
    page = await queue.ended({ ...lane, states, after });
  }
  return found;
}
