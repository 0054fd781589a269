import type { Clock, Timer } from "../../src/base/clock.ts";

/**
 * Virtual time: a heap of moments. Between two of them all promise callbacks run to their end, so
 * the order of everything follows from the moments alone. Nothing in a simulation may await real
 * I/O, or its order would not be ours.
 */
export interface Scheduler {
  nowMs(): number;
  after(delayMs: number, run: () => void): Timer;
  /** Runs what is due until then; `check` sees the world after each moment. */
  runUntil(untilMs: number, check: () => void): Promise<void>;
  /** How many moments have run. */
  moments(): number;
}

interface Moment {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
  isCancelled: boolean;
}

export function createScheduler(): Scheduler {
  const heap: Moment[] = [];
  let nowMs = 0;
  let created = 0;
  let moments = 0;
  const isBefore = (a: Moment, b: Moment) =>
    a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

  const push = (moment: Moment) => {
    let at = heap.push(moment) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(moment, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = moment;
  };
  const pop = (): Moment | undefined => {
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  };

  return {
    nowMs: () => nowMs,
    moments: () => moments,
    after(delayMs, run) {
      const moment: Moment = {
        atMs: nowMs + Math.max(0, delayMs),
        order: created++,
        run,
        isCancelled: false,
      };
      push(moment);
      return { cancel: () => void (moment.isCancelled = true) };
    },
    async runUntil(untilMs, check) {
      await settle();
      while (heap.length > 0 && heap[0]!.atMs <= untilMs) {
        const moment = pop()!;
        if (moment.isCancelled) continue;
        nowMs = moment.atMs;
        moments += 1;
        moment.run();
        await settle();
        check();
      }
      nowMs = untilMs;
    },
  };
}

/** A clock that shows the scheduler's own time. */
export const worldClock = (scheduler: Scheduler, startMs: number): Clock => ({
  nowMs: () => Math.floor(startMs + scheduler.nowMs()),
  monotonicMs: () => scheduler.nowMs(),
  setTimer: (delayMs, callback) => scheduler.after(delayMs, callback),
});

/** A macrotask comes after all microtasks; the second one after what joins calls of one turn. */
const settle = () =>
  new Promise<void>((resolve) => setImmediate(() => setImmediate(() => resolve())));
