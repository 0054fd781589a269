import { assert } from "../app-error.ts";
import type { Clock, Timer } from "../clock.ts";

/** Virtual time: nothing moves unless a test moves it, and timers fire in a fixed order. */
export interface TestClock extends Clock {
  /**
   * Moves time forward, firing due timers in order of (moment, creation). Between timers it lets
   * pending promise callbacks run, so that what a timer woke can set the next timer. A call made
   * while another runs takes its turn after it. A timer that throws ends the call it fired in.
   */
  advance(deltaMs: number): Promise<void>;
  /** The wall clock jumps (NTP, an operator); monotonic time and timers do not. */
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
      lastAdvance = turn.catch(() => {}); // its caller hears of the failure
      await turn;
    },
    step: (deltaMs) => void (offsetMs += deltaMs),
    pendingTimers: () => timers.size,
  };
}

/** Lets chains of resolved promises run to their end: a macrotask comes after all microtasks. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
