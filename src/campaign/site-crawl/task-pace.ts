import { sleep, type Clock } from "../../base/clock.ts";
import type { RequestHooks } from "../../crawl/index.ts";

export interface TaskPaceOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly delayMs: number;
  /** Moves the gap to the next task of the gate. */
  readonly markStart: () => void;
}

/**
 * Keeps the host's pace between the requests of one task: robots.txt, then the page, then sitemaps.
 * The first one may go at once: the gate has let the task begin.
 */
export interface TaskPace {
  readonly hooks: RequestHooks;
  lengthen(delayMs: number): void;
  /** Until the next request may go. */
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
      // By the site's own clock the request came between the two: the later one keeps the gap.
      onAnswered: mark,
    },
    lengthen(longerMs) {
      gapMs = Math.max(gapMs, longerMs);
    },
    wait,
  };
}
