import type { Clock, Timer } from "../../base/clock.ts";
import type { InFlightTask } from "./in-flight-task.ts";

/** Ends tasks that take too long. */
export interface Timeouts {
  /** Call it when a task of this kind has started. */
  arm(): void;
  stop(): void;
}

export interface TimeoutsOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly inFlight: () => Iterable<InFlightTask>;
  readonly onTimeout: (task: InFlightTask) => void;
}

/**
 * One timer for all tasks of a kind: they have the same time limit, so tasks reach it in the order
 * in which they started. A timer for each would cost more than a short task does.
 */
export function createTimeouts(options: TimeoutsOptions): Timeouts {
  const { clock, timeoutMs, inFlight, onTimeout } = options;
  let timer: Timer | undefined;

  function look(): void {
    timer = undefined;
    const nowMs = clock.monotonicMs();
    let nextMs = Infinity;
    for (const task of inFlight()) {
      if (task.kind.timeouts !== timeouts || task.state !== "working") continue;
      const leftMs = task.startedAtMs + timeoutMs - nowMs;
      if (leftMs <= 0) onTimeout(task);
      else nextMs = Math.min(nextMs, leftMs);
    }
    if (nextMs < Infinity) timer = clock.setTimer(nextMs, look, { background: true });
  }

  const timeouts: Timeouts = {
    arm() {
      timer ??= clock.setTimer(timeoutMs, look, { background: true });
    },
    stop() {
      timer?.cancel();
      timer = undefined;
    },
  };
  return timeouts;
}
