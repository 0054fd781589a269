import { AppError, assert } from "../base/app-error.ts";
import { systemClock, type Clock } from "../base/clock.ts";
import { systemRandom, type Random } from "../base/random.ts";
import type { Queue } from "./queue.ts";

/**
 * Decides when a worker that found nothing claims again. Invariants:
 * - no wake-up is lost: the waker reads the state of the queue when a wait begins and after each
 *   notification, and never relies on the notification itself. So nothing can happen unnoticed
 *   between a claim that found nothing and the wait. A spurious notification (a process gets those
 *   of its own empty claims) costs one read and no claim. Only for the news of added tasks it
 *   claims without reading first, unless the last such claim found nothing;
 * - once a time was announced, it wakes at that time, even if the time is no longer announced: an
 *   expired lease that another worker took back may have left work for a worker with no task in
 *   flight;
 * - nothing but counters is kept between waits: after a restart, a process wakes in the same way;
 * - timers use the monotonic clock, and the time is read again at the end. So a step of the wall
 *   clock delays a due task by at most one poll, and never makes one start early permanently;
 * - a wait continues during an outage: while the store is `unavailable`, it is asked again with
 *   growing pauses, and the wait ends only after an answer.
 */
export interface Waker extends Disposable {
  /** Ends a wait and stops watching the queue. The same as the end of a `using` block. */
  close(): void;
  /** Call it before each claim; `wait` uses it to find out whether that claim found something. */
  mark(): ClaimMark;
  /**
   * Resolves when the next claim may find something. `mark` belongs to the last claim, which found
   * nothing. Rejects with an `aborted` AppError when the signal fires or the waker is closed, and
   * with the queue's own error if that is not `unavailable`. One wait at a time.
   */
  wait(mark: ClaimMark, signal?: AbortSignal): Promise<WakeReason>;
}

/** Valid only for the wait after the claim for which it was made. */
export interface ClaimMark {
  readonly claims: number;
  readonly news: number;
}

export type WakeReason =
  | "ready" //   a task could be claimed when the wait began
  | "change" //  a process made a task claimable
  | "news" //    tasks of any kind were added
  | "timer" //   a due time, an opening gate or the end of a lease has come
  | "poll"; //   no notification for long: covers lost ones

export interface WakerOptions {
  readonly queue: Pick<Queue, "wakeInMs" | "watch" | "netMs">;
  readonly kinds: readonly string[];
  /** The worker's name. Without a task in flight, it is also woken for a suspect. */
  readonly worker?: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Called each time the store could not be read; the wait continues. */
  readonly onUnavailable?: (error: AppError) => void;
}

/** A later time is left to the poll, which comes near enough to set a timer. */
const timerMsMax = 300_000;
const pollMsDefault = 30_000;
/**
 * Wake-ups may repeatedly find nothing: other workers are faster whenever a gate opens, or this
 * worker holds a suspect and gets nothing else. Then the next one is delayed, by at most this much.
 */
const holdMsMax = 50;
/**
 * Pauses between two attempts to read an unreachable store; each is at least half as long as given.
 */
const awayMs = { first: 100, max: 5_000 };

export function createWaker(options: WakerOptions): Waker {
  const { queue, kinds, worker, clock = systemClock, random = systemRandom } = options;
  const pollMs = queue.netMs ?? pollMsDefault;
  let claims = 0;
  let changes = 0;
  /** The number of changes so far that were news. */
  let news = 0;
  /** The number of claims when a wait last ended without a write, or without a read. */
  let wokenAt = -1;
  let holdMs = 0;
  let isWaiting = false;
  const disposal = new AbortController();
  /** Ends the current sleep, if there is one. */
  let rouse = () => {};

  const unwatch = queue.watch((isNews) => {
    changes += 1;
    if (isNews) news += 1;
    rouse();
  });

  function sleepUntil(atMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = clock.setTimer(atMs - clock.monotonicMs(), resolve);
      rouse = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  /** Ends when the wait ends, but not for a notification, because the store is unreachable. */
  async function pause(failures: number, isEnded: () => boolean): Promise<void> {
    const longestMs = Math.min(awayMs.max, awayMs.first * 2 ** Math.min(failures - 1, 10));
    const untilMs = clock.monotonicMs() + longestMs * (1 - random.next() / 2);
    while (clock.monotonicMs() < untilMs && !isEnded()) await sleepUntil(untilMs);
  }

  async function nextWake(mark: ClaimMark, signal: AbortSignal | undefined): Promise<Wake> {
    const startMs = clock.monotonicMs();
    let next: Wake = { reason: "poll", atMs: startMs + pollMs };
    let failures = 0;
    /** News with a higher number has not been handled yet. */
    let newsRead = mark.news;
    const isEnded = () => signal?.aborted === true || disposal.signal.aborted;
    for (let isFirst = true; ; isFirst = false) {
      refuseWhenAborted(signal);
      refuseWhenAborted(disposal.signal);
      if (failures === 0 && news > newsRead && holdMs === 0) {
        return { reason: "news", atMs: startMs };
      }
      const seen = changes;
      const newsSeen = news;
      let inMs: number | undefined;
      try {
        inMs = await queue.wakeInMs(kinds, worker);
        failures = 0;
        newsRead = newsSeen;
      } catch (error) {
        if (!(error instanceof AppError) || error.kind !== "unavailable") throw error;
        options.onUnavailable?.(error);
        await pause(++failures, isEnded);
        continue;
      }
      if (inMs !== undefined && inMs <= timerMsMax) {
        const atMs = Math.max(clock.monotonicMs() + inMs, startMs + holdMs);
        const reason = inMs > 0 ? "timer" : isFirst ? "ready" : "change";
        if (atMs < next.atMs) next = { reason, atMs };
      }
      const isStill = changes === seen && !isEnded();
      if (clock.monotonicMs() < next.atMs && isStill) await sleepUntil(next.atMs);
      if (clock.monotonicMs() >= next.atMs) return next;
    }
  }

  const close = () => {
    unwatch();
    disposal.abort();
    rouse();
  };

  return {
    mark: () => ({ claims: ++claims, news }),

    async wait(mark, signal) {
      assert(mark.claims === claims, "a wait takes the mark of the last claim");
      assert(!isWaiting, "a waker has one wait at a time");
      isWaiting = true;
      // Only one claim since then, and it found nothing: delay twice as long as last time.
      holdMs = claims === wokenAt + 1 ? Math.min(Math.max(1, holdMs * 2), holdMsMax) : 0;
      const onAbort = () => rouse();
      signal?.addEventListener("abort", onAbort);
      try {
        const { reason } = await nextWake(mark, signal);
        if (reason !== "change" && reason !== "poll") wokenAt = claims;
        return reason;
      } finally {
        signal?.removeEventListener("abort", onAbort);
        rouse = () => {};
        isWaiting = false;
      }
    },

    close,
    [Symbol.dispose]: close,
  };
}

interface Wake {
  readonly reason: WakeReason;
  readonly atMs: number;
}

function refuseWhenAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new AppError("aborted", "wait_aborted", "a wait for work was ended early", {
    cause: signal.reason,
  });
}
