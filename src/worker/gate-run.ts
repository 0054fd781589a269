import type { Clock, Timer } from "../base/clock.ts";
import type { GateView, Pace } from "../queue/index.ts";
import type { TaskInHand } from "./task-in-hand.ts";

/**
 * The tasks of one owned gate in this worker's hands. Always:
 * - start to start at least `delayMs` apart on the monotonic clock, at most `limit` at once;
 * - one task at a time is offered to the worker; until it has begun, or was refused, no other is,
 *   so that a moment missed for want of a slot shifts the rest and is never caught up;
 * - a waiting task takes no slot of the worker.
 */
export interface GateRun {
  readonly gate: string;
  delayMs(): number;
  limit(): number;
  waiting(): readonly TaskInHand[];
  atWork(): number;
  add(task: TaskInHand): void;
  /** Offers what may start now, or comes back when it may. */
  next(): void;
  /** Whether the offered task may really begin; if not it waits again. */
  mayBegin(task: TaskInHand): boolean;
  /** It began: to be called when the handler has been, so that the moment is not too early. */
  began(): void;
  /** The request went out later than the handler was called. */
  markStart(): void;
  /** The offered task will not begin. */
  refused(): void;
  /** One that had begun is over. */
  ended(): void;
  /** What an answer of the queue says of the gate. */
  follow(view: GateView): void;
  /** Takes all waiting tasks out of the run. */
  takeWaiting(): readonly TaskInHand[];
  /** For the queue, which opens the gate that long after the last start; absent before it. */
  sinceStartMs(): number | undefined;
}

export interface GateRunOptions {
  readonly gate: string;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly offer: (task: TaskInHand) => void;
}

/** Without getters: each object that has some gets a hidden class of its own, 3 kB for each gate. */
export function createGateRun({ gate, pace, clock, offer }: GateRunOptions): GateRun {
  let waiting: TaskInHand[] = [];
  let { delayMs, limit } = pace;
  let lastStartMs = -Infinity;
  let atWork = 0;
  let isOffering = false;
  let timer: Timer | undefined;

  const leftMs = () => lastStartMs + delayMs - clock.monotonicMs();

  function next(): void {
    timer?.cancel();
    timer = undefined;
    if (isOffering || waiting.length === 0 || atWork >= limit) return;
    const left = leftMs();
    if (left > 0) {
      timer = clock.setTimer(left, next);
      return;
    }
    isOffering = true;
    offer(waiting.shift()!);
  }

  return {
    gate,
    delayMs: () => delayMs,
    limit: () => limit,
    waiting: () => waiting,
    atWork: () => atWork,
    add: (task) => void waiting.push(task),
    next,
    mayBegin(task) {
      if (leftMs() <= 0 && atWork < limit) return true;
      // The delay was lengthened while the task waited for a slot.
      waiting.unshift(task);
      isOffering = false;
      next();
      return false;
    },
    began() {
      isOffering = false;
      atWork += 1;
      lastStartMs = clock.monotonicMs();
      next();
    },
    markStart() {
      lastStartMs = clock.monotonicMs();
      next();
    },
    refused() {
      isOffering = false;
      next();
    },
    ended() {
      atWork -= 1;
      next();
    },
    follow(view) {
      // The job's cap may have given this run less than its gate allows.
      const limitNow = Math.min(pace.limit, view.limit);
      if (view.delayMs === delayMs && limitNow === limit) return;
      delayMs = view.delayMs;
      limit = limitNow;
      next();
    },
    takeWaiting() {
      const taken = waiting;
      waiting = [];
      timer?.cancel();
      return taken;
    },
    sinceStartMs() {
      if (lastStartMs === -Infinity) return undefined;
      // The store cuts its clock to whole milliseconds: the gate must not open one of them early.
      return Math.max(0, clock.monotonicMs() - lastStartMs - 1);
    },
  };
}
