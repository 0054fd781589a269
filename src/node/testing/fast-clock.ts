import { systemClock, type Clock } from "../../base/clock.ts";

/** The system's clock until `hurry`; after that timers fire early, as if time had passed. */
export function createFastClock(): Clock & { hurry(): void } {
  let isHurrying = false;
  let aheadMs = 0;
  return {
    nowMs: () => systemClock.nowMs(),
    monotonicMs: () => systemClock.monotonicMs() + aheadMs,
    setTimer: (delayMs, callback, options) =>
      systemClock.setTimer(
        isHurrying ? delayMs / 500 : delayMs,
        () => {
          if (isHurrying) aheadMs += delayMs;
          callback();
        },
        options,
      ),
    hurry: () => void (isHurrying = true),
  };
}
