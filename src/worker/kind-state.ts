import type { KeyedLimiter } from "../base/keyed-limiter.ts";
import type { Counter, Histogram } from "../base/metrics.ts";
import type { Handler } from "./handler.ts";
import type { Timeouts } from "./timeouts.ts";

/** One kind in one worker: its handler, and what is kept about it. */
export interface KindState {
  readonly handler: Handler;
  readonly timeouts: Timeouts;
  readonly caps: KeyedLimiter | undefined;
  readonly started: Counter;
  readonly durations: Histogram;
  readonly ends: Readonly<Record<TaskEnd, Counter>>;
  /** Mean length of recent attempts; what an unknown kind takes until it was seen. */
  meanMs: number;
}

/** How a task left the worker. "lost": nothing was recorded, another has it or will. */
export type TaskEnd = "done" | "skip" | "retry" | "fail" | "released" | "lost";
export const taskEnds: readonly TaskEnd[] = ["done", "skip", "retry", "fail", "released", "lost"];

export const meanMsUnknown = 250;
