import { assert } from "../app-error.ts";
import type { Clock, Timer } from "../clock.ts";

/** Virtual time: it moves only when a test moves it, and timers fire in a fixed order. */
export interface TestClock extends Clock {
  /**
   * Moves time forward and fires due timers in order of (time, creation). After each timer it runs
   * pending promise callbacks, so that they can set the next timer. Concurrent calls run one after
   * the other. A timer that throws ends the call in which it fired.
   */
  advance(deltaMs: number): Promise<void>;
  /**
   * Makes the wall clock jump, as NTP or an operator does; monotonic time and timers do not change.
   */
  step(deltaMs: number): void;
  pendingTimers(): number;
}

export function createTestClock(startMs = Date.UTC(2026, 0, 1)): TestClock {
  let monotonicMs = 0;
  let offsetMs = startMs;
  let created = 0;
  let lastAdvance: Promise<void> = Promise.resolve();
  const timers = new Map<number, { readonly atMs: number; readonly callback: () => void }>();

  const nextDue = (untilMs: number) => {
    let best: { id: number; atMs: number } | undefined;
    for (const [id, { atMs }] of timers) {
      if (atMs <= untilMs && (!best || atMs < best.atMs)) best = { id, atMs };
    }
    return best;
  };

  const run = async (deltaMs: number) => {
    const untilMs = monotonicMs + deltaMs;
    await settle();
    for (let due = nextDue(untilMs); due; due = nextDue(untilMs)) {
      monotonicMs = due.atMs;
      const timer = timers.get(due.id);
      timers.delete(due.id);
      timer?.callback();
      await settle();
    }
    monotonicMs = untilMs;
    await settle();
  };

  return {
    nowMs: () => Math.floor(monotonicMs + offsetMs),
    monotonicMs: () => monotonicMs,
    setTimer(delayMs, callback): Timer {
      assert(!Number.isNaN(delayMs), "a timer needs a delay, not NaN");
      const id = created++;
      timers.set(id, { atMs: monotonicMs + Math.max(0, delayMs), callback });
      return { cancel: () => void timers.delete(id) };
    },
    async advance(deltaMs) {
      assert(deltaMs >= 0, "time only moves forward; use step for a wall clock jump");
      const turn = lastAdvance.then(() => run(deltaMs));
      lastAdvance = turn.catch(() => {}); // its caller gets the error
      await turn;
    },
    step: (deltaMs) => void (offsetMs += deltaMs),
    pendingTimers: () => timers.size,
  };
}

/** Lets chains of resolved promises run to their end: a macrotask runs after all microtasks. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
