import type { InFlightTask } from "./in-flight-task.ts";

/**
 * A queue of tasks that wait for the local cap of their kind. A task that gets its cap moves to
 * the slots; tasks with another key do not wait for it. A task that ends meanwhile leaves the queue
 * through its signal.
 */
export interface CapLine {
  readonly offer: (task: InFlightTask) => void;
  readonly waiting: () => number;
}

export interface CapLineOptions {
  /** The task has its cap, or needs none. */
  readonly onReady: (task: InFlightTask) => void;
  /** The key of its cap could not be computed. */
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
      () => void (waiting -= 1), // the task has ended meanwhile
    );
  }

  return { offer, waiting: () => waiting };
}
