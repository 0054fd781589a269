import { opensAfterStart } from "../gate.ts";
import { bulkRowsMax, sweepRowsMax, type Swept } from "../operation.ts";
import type { Task } from "../task.ts";
import { leave, noted } from "./leases.ts";
import { gateOf, jobOf, patchGate, putTask, type ShardDraft } from "./shard.ts";

/**
 * The only place where an expired lease has an effect. Its work is limited, so every claim can
 * start with it.
 */
export function sweep(draft: ShardDraft): Swept {
  const expired: Task[] = [];
  for (const task of draft.tasks.values()) {
    if (task.state === "running" && task.expiresAtMs <= draft.now.ms) expired.push(task);
  }
  expired.sort((a, b) => a.expiresAtMs - b.expiresAtMs || a.id - b.id);
  const counts = { requeued: 0, failed: 0, cancelled: 0 };
  for (const task of expired.slice(0, sweepRowsMax)) counts[takeBack(draft, task)] += 1;
  const skipped = skipCancelled(draft);
  forgetClaims(draft);
  return {
    ...counts,
    cancelled: counts.cancelled + skipped.count,
    hasMore: expired.length > sweepRowsMax || skipped.hasMore,
  };
}

function takeBack(draft: ShardDraft, task: Task): "requeued" | "failed" | "cancelled" {
  const atMs = draft.now.ms;
  const ended = { ...task, expiresAtMs: 0 };
  leave(draft, task, undefined);
  const gate = gateOf(draft, task);
  if (gate) {
    // A request may have been sent at the last moment of the lease, so count the delay from there.
    const opensAtMs = opensAfterStart(gate, task.expiresAtMs);
    patchGate(draft, gate.name, { opensAtMs });
  }
  if (jobOf(draft, task.job).ended === "cancelled") {
    putTask(draft, cancelled(task, atMs));
    return "cancelled";
  }
  const reason = "the lease expired: the worker died, hung or lost its connection to the queue";
  const attempts = noted(task, { outcome: "expired", reason, atMs });
  const isOut = task.used >= task.attemptsMax;
  putTask(draft, {
    ...ended,
    attempts,
    isSuspect: true,
    state: isOut ? "failed" : "pending",
    finishedAtMs: isOut ? atMs : 0,
  });
  return isOut ? "failed" : "requeued";
}

/** Pending tasks of cancelled jobs, limited to one chunk, in order of id. */
export function skipCancelled(draft: ShardDraft): {
  readonly count: number;
  readonly hasMore: boolean;
} {
  const waiting = [...draft.jobs.values()].some((job) => job.ended === "cancelled" && job.pending);
  if (!waiting) return { count: 0, hasMore: false };
  const rows = [...draft.tasks.values()]
    .filter((task) => task.state === "pending" && jobOf(draft, task.job).ended === "cancelled")
    .sort((a, b) => a.id - b.id);
  const chunk = rows.slice(0, bulkRowsMax);
  for (const task of chunk) putTask(draft, cancelled(task, draft.now.ms));
  return { count: chunk.length, hasMore: rows.length > chunk.length };
}

const cancelled = (task: Task, atMs: number): Task => ({
  ...task,
  state: "skipped",
  expiresAtMs: 0,
  finishedAtMs: atMs,
  attempts: noted(task, { outcome: "cancelled", reason: "its job was cancelled", atMs }),
});

function forgetClaims(draft: ShardDraft): void {
  for (const [token, record] of draft.claims) {
    if (record.open === 0 && record.expiresAtMs <= draft.now.ms) draft.claims.delete(token);
  }
}
