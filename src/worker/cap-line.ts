import type { InFlightTask } from "./in-flight-task.ts";

/**
 * Where tasks wait for the local cap of their kind: one that has it goes on to the slots, and others
 * pass by. A task that ends meanwhile leaves the line through its signal.
 */
export interface CapLine {
  readonly offer: (task: InFlightTask) => void;
  readonly waiting: () => number;
}

export interface CapLineOptions {
  /** It has its cap, or needs none. */
  readonly onReady: (task: InFlightTask) => void;
  /** Its key could not be found out. */
  readonly onRefused: (task: InFlightTask, error: unknown) => void;
}

export function createCapLine({ onReady, onRefused }: CapLineOptions): CapLine {
  let waiting = 0;

  function offer(task: InFlightTask): void {
    if (task.state !== "waiting") return task.run?.refused();
    const { cap } = task.kind.handler;
    if (!cap || !task.kind.caps) return onReady(task);
    let key: string;
    try {
      key = String(cap.key(task.task));
    } catch (error) {
      task.run?.refused();
      return onRefused(task, error);
    }
    const leaveCap = task.kind.caps.tryAcquire(key);
    if (leaveCap) {
      task.leaveCap = leaveCap;
      return onReady(task);
    }
    waiting += 1;
    task.kind.caps.acquire(key, { signal: task.signal }).then(
      (leaveLater) => {
        waiting -= 1;
        if (task.state !== "waiting") return leaveLater();
        task.leaveCap = leaveLater;
        onReady(task);
      },
      () => void (waiting -= 1), // ended meanwhile
    );
  }

  return { offer, waiting: () => waiting };
}
