import { closable } from "../../src/base/closable.ts";
import type { Clock } from "../../src/base/clock.ts";
import type { Bucket } from "../../src/bucket/index.ts";
import { unanswered, unknownOutcome } from "../../src/bucket/index.ts";
import type { Scheduler } from "./scheduler.ts";

export type NodeEvent = "crash" | "pause" | "clockStep" | "cut";

/**
 * One life of one process: the clock and the bucket that its code gets. Code runs only when a
 * timer fires or an answer arrives, and both come through here: so a process can be stopped for a
 * while, or for ever, at every single await.
 */
export interface SimNode {
  readonly name: string;
  readonly clock: Clock;
  readonly bucket: Bucket;
  isAlive(): boolean;
  isPaused(): boolean;
  crash(): void;
  /** Crashes by itself when that many calls and answers have gone by. */
  crashAt(crossing: number): void;
  pause(forMs: number): void;
  /** The wall clock jumps; timers and the monotonic clock do not. */
  stepClock(deltaMs: number): void;
  /** No request arrives until then. */
  cutOff(forMs: number): void;
  crossings(): number;
}

export interface SimNodeOptions {
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly startMs: number;
  /** How fast its clock runs. */
  readonly rate: number;
  readonly wallOffsetMs: number;
  readonly bucket: () => Bucket;
  readonly onEvent: (event: NodeEvent) => void;
}

export function createSimNode(options: SimNodeOptions): SimNode {
  const { name, scheduler, startMs, rate, onEvent } = options;
  let { wallOffsetMs } = options;
  let isAlive = true;
  let pausedUntilMs = 0;
  let cutUntilMs = 0;
  let crossings = 0;
  let crashCrossing = Infinity;

  const crash = () => {
    if (!isAlive) return;
    isAlive = false;
    onEvent("crash");
  };
  const cross = () => {
    if (isAlive && ++crossings === crashCrossing) crash();
    return isAlive;
  };
  /** Brings something to the process: now, when it goes on, or never. */
  const deliver = (arrive: () => void) => {
    const waitMs = pausedUntilMs - scheduler.nowMs();
    if (waitMs > 0) scheduler.after(waitMs, () => deliver(arrive));
    else if (cross()) arrive();
  };
  const guarded = <T>(isWrite: boolean, send: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      if (!cross()) return;
      const isCut = scheduler.nowMs() < cutUntilMs;
      const lost = () => (isWrite ? unknownOutcome : unanswered)("it", "no route");
      const answer = isCut ? Promise.reject(lost()) : send();
      answer.then(
        (value) => deliver(() => resolve(value)),
        (error: unknown) => deliver(() => reject(error as Error)),
      );
    });

  const monotonicMs = () => scheduler.nowMs() * rate;
  const at = options.bucket;
  return {
    name,
    clock: {
      monotonicMs,
      nowMs: () => Math.floor(startMs + monotonicMs() + wallOffsetMs),
      setTimer(delayMs, callback) {
        let isCancelled = false;
        const fire = () => deliver(() => !isCancelled && callback());
        const timer = scheduler.after(Math.max(0, delayMs) / rate, fire);
        return {
          cancel() {
            isCancelled = true; // also when it is due, and waits for the end of a pause
            timer.cancel();
          },
        };
      },
    },
    bucket: {
      get: (key, more) => guarded(false, () => at().get(key, more)),
      list: (prefix, more) => guarded(false, () => at().list(prefix, more)),
      now: () => guarded(false, () => at().now()),
      putIfAbsent: (key, body) => guarded(true, () => at().putIfAbsent(key, body)),
      putIfMatch: (key, body, etag) => guarded(true, () => at().putIfMatch(key, body, etag)),
      put: (key, body) => guarded(true, () => at().put(key, body)),
      delete: (key) => guarded(true, () => at().delete(key)),
      traits: () => ({}),
      ...closable(async () => {}),
    },
    isAlive: () => isAlive,
    isPaused: () => scheduler.nowMs() < pausedUntilMs,
    crash,
    crashAt: (crossing) => void (crashCrossing = crossing),
    pause(forMs) {
      pausedUntilMs = scheduler.nowMs() + forMs;
      onEvent("pause");
    },
    stepClock(deltaMs) {
      wallOffsetMs += deltaMs;
      onEvent("clockStep");
    },
    cutOff(forMs) {
      cutUntilMs = scheduler.nowMs() + forMs;
      onEvent("cut");
    },
    crossings: () => crossings,
  };
}
