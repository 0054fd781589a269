import { sleep, type Clock } from "../base/clock.ts";
import type { RequestHooks } from "../crawl/index.ts";

export interface TaskPaceOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly delayMs: number;
  /** Sets the start from which the gap to the gate's next task is measured. */
  readonly markStart: () => void;
}

/**
 * Keeps the host's delay between the requests of one task: robots.txt, then the page, then
 * sitemaps. The first one may be sent at once, because the gate has already delayed the task.
 */
export interface TaskPace {
  readonly hooks: RequestHooks;
  lengthen(delayMs: number): void;
  /** Resolves when the next request may be sent. */
  wait(): Promise<void>;
}

export function createTaskPace({ clock, signal, delayMs, markStart }: TaskPaceOptions): TaskPace {
  let gapMs = delayMs;
  let lastMs = -Infinity;
  const mark = () => {
    lastMs = clock.monotonicMs();
    markStart();
  };
  const wait = async () => {
    const leftMs = lastMs + gapMs - clock.monotonicMs();
    if (leftMs > 0) await sleep(clock, leftMs, signal);
  };
  return {
    hooks: {
      signal,
      beforeRequest: () => wait().then(() => "go" as const),
      onSent: mark,
      // The site received the request between these two moments; counting from the later one keeps
      // the gap.
      onAnswered: mark,
    },
    lengthen(longerMs) {
      gapMs = Math.max(gapMs, longerMs);
    },
    wait,
  };
}
