import { newJob } from "../job.ts";
import type { JobAnswer, OpenJob } from "../operation.ts";
import { patchJob, type ShardDraft } from "./shard.ts";
import { skipCancelled } from "./sweep.ts";

/** Opening an open job again changes its cap, budget and gate, which then bind what comes later. */
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
 * From here on nothing of the job is claimed, extended or finished. Pending tasks are skipped, the
 * first chunk now, the rest by the sweep; running ones are skipped when their lease ends, because
 * until then a worker may still be at work behind their gate.
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
