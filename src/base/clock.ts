import { setTimeout as setNodeTimeout, clearTimeout as clearNodeTimeout } from "node:timers";
import { AppError } from "./app-error.ts";

/**
 * All time comes from here, so that tests and simulations own it.
 * - `nowMs` is the wall clock in whole milliseconds; it may step in either direction;
 * - `monotonicMs` never goes back and is meaningful only as a difference, in one process;
 * - timers run on the monotonic clock and never before their moment.
 */
export interface Clock {
  nowMs(): number;
  monotonicMs(): number;
  /** Calls back once after `delayMs`. A background timer does not keep the process alive. */
  setTimer(delayMs: number, callback: () => void, options?: { background?: boolean }): Timer;
}

export interface Timer {
  /** Safe to repeat, and after the timer fired. */
  cancel(): void;
}

/** Longest delay Node's timers take; longer waits must be made of several. */
export const timerDelayMsMax = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer(delayMs, callback, options) {
    const handle = setNodeTimeout(callback, Math.min(Math.max(0, delayMs), timerDelayMsMax));
    if (options?.background) handle.unref();
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
