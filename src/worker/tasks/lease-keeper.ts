import { AppError } from "../../base/app-error.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { GateView, Queue } from "../../queue/index.ts";
import type { InFlightTask } from "./in-flight-task.ts";

/**
 * Extends the leases of the tasks in flight. A lost, timed out or ended task does not affect the
 * other ones. Invariants:
 * - a lease is extended when a third of its original length has passed; leases of about the same
 *   age share a call;
 * - a lease that could not be extended before its end counts as lost then, by this worker's own
 *   clock and counted from when the last extension was sent, because another worker may have the
 *   task. This also holds if the queue neither answers nor fails.
 */
export interface LeaseKeeper {
  start(): void;
  stop(): void;
}

export interface LeaseKeeperOptions {
  readonly queue: Pick<Queue, "extend">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leaseMs: number;
  /** Includes tasks whose end is not stored yet, because storing may take longer than a lease. */
  readonly inFlight: () => Iterable<InFlightTask>;
  readonly onView: (task: InFlightTask, gate: GateView) => void;
  readonly onLost: (task: InFlightTask) => void;
  readonly onFatal: (error: unknown) => void;
}

const callMax = 1_000;

export function createLeaseKeeper(options: LeaseKeeperOptions): LeaseKeeper {
  const { queue, clock, logger, leaseMs, inFlight, onLost } = options;
  const dueMs = (leaseMs * 2) / 3;
  const youngMs = leaseMs * 0.9;
  let timer: Timer | undefined;
  let isExtending = false;

  async function extend(tasks: readonly InFlightTask[]): Promise<void> {
    const sentMs = clock.monotonicMs();
    const leases = tasks.map(({ lease: { id, token } }) => ({ id, token }));
    const answers = await queue.extend(leases, leaseMs);
    for (const [at, task] of tasks.entries()) {
      const answer = answers[at];
      if (answer?.status !== "held") onLost(task);
      else {
        task.deadlineMs = sentMs + leaseMs;
        if (answer.gate) options.onView(task, answer.gate);
      }
    }
  }

  async function extendAll(tasks: readonly InFlightTask[]): Promise<void> {
    isExtending = true;
    try {
      for (let at = 0; at < tasks.length; at += callMax) {
        await extend(tasks.slice(at, at + callMax));
      }
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== "unavailable") options.onFatal(error);
      logger.warn("leases could not be extended, trying again", { error, tasks: tasks.length });
    } finally {
      isExtending = false;
    }
  }

  function look(): void {
    const nowMs = clock.monotonicMs();
    let isDue = false;
    const old: InFlightTask[] = [];
    for (const task of inFlight()) {
      const leftMs = task.deadlineMs - nowMs;
      if (leftMs <= 0) onLost(task);
      else if (leftMs <= youngMs) old.push(task);
      isDue ||= leftMs > 0 && leftMs <= dueMs;
    }
    if (isDue && !isExtending) void extendAll(old);
    arm();
  }

  function arm(): void {
    timer = clock.setTimer(leaseMs / 12, look, { background: true });
  }

  return { start: arm, stop: () => timer?.cancel() };
}
