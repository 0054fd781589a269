import { hasRoom, isOpen, openFromMs, type Gate } from "./gate.ts";
import { slotsLeft, type Job } from "./job.ts";
import type { StoreNow } from "./queue-store.ts";
import type { Task } from "./task.ts";

/** Why a pending task does not run. The first reason that applies counts. */
export const waitingReasons = [
  "paused", //            its job is paused or was cancelled
  "scheduled", //         due later, never run
  "retry_backoff", //     due later, after a failed attempt
  "domain_delay", //      its gate is blocked, pausing between starts, or held by another worker
  "concurrency_limit", // its job runs as many tasks as it may
  "worker_capacity", //   it can run, but no worker has claimed it
] as const;
export type WaitingReason = (typeof waitingReasons)[number];

export interface Waiting {
  readonly reason: WaitingReason;
  /** The least time that it still waits, if known. */
  readonly forMs?: number;
}

type Held = Pick<Job, "isPaused" | "ended" | "concurrency" | "slots">;

/** Computed only from the task, its gate and its job. */
export function waitingReason(
  task: Pick<Task, "dueAtMs" | "attempts">,
  gate: Gate | undefined,
  job: Held,
  now: StoreNow,
): Waiting {
  if (isHeld(job)) return { reason: "paused" };
  if (task.dueAtMs > now.wallMs) {
    const reason = task.attempts.length > 0 ? "retry_backoff" : "scheduled";
    return { reason, forMs: task.dueAtMs - now.wallMs };
  }
  return dueReason(gate, job, now);
}

/** The same for a task that is due: the answer is the same for all due tasks of a lane. */
export function dueReason(gate: Gate | undefined, job: Held, now: StoreNow): Waiting {
  if (isHeld(job)) return { reason: "paused" };
  if (gate && !isOpen(gate, now.ms)) {
    if (!hasRoom(gate)) return { reason: "domain_delay" };
    return { reason: "domain_delay", forMs: openFromMs(gate) - now.ms };
  }
  if (slotsLeft(job) === 0) return { reason: "concurrency_limit" };
  return { reason: "worker_capacity" };
}

export const isHeld = (job: Pick<Job, "isPaused" | "ended">): boolean =>
  job.isPaused || job.ended !== null;
