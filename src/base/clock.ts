import { setTimeout as setNodeTimeout, clearTimeout as clearNodeTimeout } from "node:timers";
import { AppError, assert } from "./app-error.ts";

/**
 * The only source of time, so that tests and simulations can control it.
 * - `nowMs` is the wall clock in whole milliseconds; it may step in either direction;
 * - `monotonicMs` never goes back; only differences within one process have a meaning;
 * - timers use the monotonic clock and never fire early.
 */
export interface Clock {
  nowMs(): number;
  monotonicMs(): number;
  /** Calls back once after `delayMs`. A background timer does not keep the process alive. */
  setTimer(delayMs: number, callback: () => void, options?: { background?: boolean }): Timer;
}

export interface Timer {
  /** May be called several times, and after the timer has fired. */
  cancel(): void;
}

/**
 * The longest delay of Node's own timers. `systemClock` splits longer delays into several timers.
 */
export const timerDelayMsMax = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer(delayMs, callback, options) {
    assert(!Number.isNaN(delayMs), "a timer needs a delay, not NaN");
    const dueMs = performance.now() + delayMs;
    let handle: NodeJS.Timeout;
    const arm = () => {
      const leftMs = Math.ceil(dueMs - performance.now());
      handle = setNodeTimeout(fire, Math.min(Math.max(0, leftMs), timerDelayMsMax));
      if (options?.background) handle.unref();
    };
    // Node drops fractions, may fire up to 1 ms early and limits the delay, so check the time
    // again.
    const fire = () => (performance.now() < dueMs ? arm() : callback());
    arm();
    return { cancel: () => clearNodeTimeout(handle) };
  },
};

/** Resolves after `delayMs`; rejects with an `aborted` AppError as soon as the signal fires. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = () =>
      new AppError("aborted", "sleep_aborted", "a wait was ended early", { cause: signal?.reason });
    if (signal?.aborted) return reject(aborted());
    const onAbort = () => {
      timer.cancel();
      reject(aborted());
    };
    const timer = clock.setTimer(delayMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
