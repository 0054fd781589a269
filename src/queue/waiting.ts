import { hasRoom, isOpen, openFromMs, type Gate } from "./gate.ts";
import { slotsLeft, type Job } from "./job.ts";
import type { StoreNow } from "./queue-store.ts";
import type { Task } from "./task.ts";

/** Why a pending task is not running, in the order in which the first match counts. */
export const waitingReasons = [
  "paused", //            its job is paused, or was cancelled
  "scheduled", //         due later, never run
  "retry_backoff", //     due later, after a failed attempt
  "domain_delay", //      its gate is blocked, pausing between starts, or held by another worker
  "concurrency_limit", // its job has all it may have at work
  "worker_capacity", //   nothing stands in its way: no worker has asked
] as const;
export type WaitingReason = (typeof waitingReasons)[number];

export interface Waiting {
  readonly reason: WaitingReason;
  /** How long at least, when that is known. */
  readonly forMs?: number;
}

type Held = Pick<Job, "isPaused" | "ended" | "concurrency" | "slots">;

/** From the task, its gate and its job alone. */
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

/** The same for a task known to be due: one answer for all due tasks of a lane. */
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
