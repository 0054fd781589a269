import type { Clock, Timer } from "../base/clock.ts";
import type { TaskInHand } from "./task-in-hand.ts";

/** Ends what takes too long. */
export interface Timeouts {
  add(task: TaskInHand): void;
  remove(task: TaskInHand): void;
  stop(): void;
}

/**
 * One timer for all tasks of a kind: they have the same time, so the one that began first is due
 * first. A timer for each would cost more than a short task does.
 */
export function createTimeouts(
  clock: Clock,
  timeoutMs: number,
  onTimeout: (task: TaskInHand) => void,
): Timeouts {
  const working = new Set<TaskInHand>(); // in the order they began
  let timer: Timer | undefined;

  function look(): void {
    timer = undefined;
    const nowMs = clock.monotonicMs();
    for (const task of working) {
      const leftMs = task.startedAtMs + timeoutMs - nowMs;
      if (leftMs > 0) {
        timer = clock.setTimer(leftMs, look, { background: true });
        return;
      }
      working.delete(task);
      onTimeout(task);
    }
  }

  return {
    add(task) {
      working.add(task);
      timer ??= clock.setTimer(timeoutMs, look, { background: true });
    },
    remove: (task) => void working.delete(task),
    stop() {
      timer?.cancel();
      timer = undefined;
      working.clear();
    },
  };
}
