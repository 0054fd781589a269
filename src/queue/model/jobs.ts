import { newJob } from "../job.ts";
import type { JobAnswer, OpenJob } from "../operation.ts";
import { patchJob, type ShardDraft } from "./shard.ts";
import { skipCancelled } from "./sweep.ts";

/** Opening an open job again changes its cap, budget and gate for everything that comes later. */
export function openJob(draft: ShardDraft, { job, concurrency, budget, gate }: OpenJob): JobAnswer {
  const known = draft.jobs.get(job);
  if (known && known.ended !== null) return "closed";
  const settings = { concurrency, budget, gate };
  draft.jobs.set(job, known ? { ...known, ...settings } : newJob(job, draft.now.ms, settings));
  return "ok";
}

export const seal = (draft: ShardDraft, job: string): JobAnswer =>
  whileOpen(draft, job, { isSealed: true });

export const pause = (draft: ShardDraft, job: string): JobAnswer =>
  whileOpen(draft, job, { isPaused: true });

export const resume = (draft: ShardDraft, job: string): JobAnswer =>
  whileOpen(draft, job, { isPaused: false });

/**
 * After this, no task of the job can be claimed, extended or finished. Pending tasks are skipped,
 * the first chunk now and the rest by the sweep. Running tasks are skipped when their leases end,
 * because until then a worker may still send requests to their gate.
 */
export function cancel(draft: ShardDraft, job: string): JobAnswer {
  const answer = whileOpen(draft, job, { ended: "cancelled", endedAtMs: draft.now.ms });
  if (answer === "ok") skipCancelled(draft);
  return answer;
}

function whileOpen(
  draft: ShardDraft,
  name: string,
  patch: Parameters<typeof patchJob>[2],
): JobAnswer {
  const job = draft.jobs.get(name);
  if (!job) return "absent";
  if (job.ended !== null) return "closed";
  patchJob(draft, name, patch);
  return "ok";
}
