import { AppError, assert } from "../base/app-error.ts";
import { systemClock, type Clock } from "../base/clock.ts";
import { systemRandom, type Random } from "../base/random.ts";
import type { Queue } from "./queue.ts";

/**
 * When a worker that found nothing should claim again. Always:
 * - no wake-up is lost: what counts is what the queue says it holds, read when a wait begins and
 *   after each notification, never the notification itself. So nothing can slip in between a
 *   claim that found nothing and the wait, and a spurious notification (a process hears of its
 *   own empty claims) costs one read and no claim. Only at the news of added tasks it is not read
 *   first, unless the last such claim was in vain;
 * - a moment that was named once is woken at, also when it is named no longer: an expired lease
 *   that another worker took back may have left work for a worker with no task in flight;
 * - nothing is kept between waits but counters: a restarted process wakes as this one would;
 * - moments are timed by the monotonic clock and read again in the end, so a step of the wall
 *   clock delays what is due by one poll at most, and brings nothing forward for good;
 * - a wait outlives an outage: while the store is `unavailable` it is asked again and again, with
 *   growing pauses, and the wait ends only after an answer.
 */
export interface Waker extends Disposable {
  /** Ends a wait and its watch of the queue. The same as the end of a `using` block. */
  close(): void;
  /** To be called before each claim: it tells a claim that found nothing from one that did. */
  mark(): ClaimMark;
  /**
   * Resolves when the next claim may find something; `mark` is that of the last claim, which did
   * not. Rejects with an `aborted` AppError when the signal fires or the waker is closed, and
   * with the queue's own error if that is not `unavailable`. One wait at a time.
   */
  wait(mark: ClaimMark, signal?: AbortSignal): Promise<WakeReason>;
}

/** Good for the wait after the claim that it was made for, and for no other. */
export interface ClaimMark {
  readonly claims: number;
  readonly news: number;
}

export type WakeReason =
  | "ready" //   something could be claimed when the wait began
  | "change" //  somebody, in any process, made something claimable
  | "news" //    tasks were added, of whatever kind
  | "timer" //   a due time, an opening gate or the end of a lease has come
  | "poll"; //   nothing was heard for long: the net under all of that

export interface WakerOptions {
  readonly queue: Pick<Queue, "wakeInMs" | "watch" | "netMs">;
  readonly kinds: readonly string[];
  /** As it claims: with no task in flight it is also woken for a suspect. */
  readonly worker?: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Called each time the store could not be asked; the wait goes on. */
  readonly onUnavailable?: (error: AppError) => void;
}

/** What lies further ahead is left to the poll, which will come near enough to time it. */
const timerMsMax = 300_000;
const pollMsDefault = 30_000;
/**
 * A wake-up may be in vain again and again: others are quicker at every opening of a gate, or this
 * worker holds a suspect and gets nothing else. Then the next comes this much later at most.
 */
const holdMsMax = 50;
/** Pauses between two questions to a store that is away; each is at least half as long. */
const awayMs = { first: 100, max: 5_000 };

export function createWaker(options: WakerOptions): Waker {
  const { queue, kinds, worker, clock = systemClock, random = systemRandom } = options;
  const pollMs = queue.netMs ?? pollMsDefault;
  let claims = 0;
  let changes = 0;
  /** Changes so far that were news. */
  let news = 0;
  /** Claims so far when a wait last ended without anyone's writing, or unread. */
  let wokenAt = -1;
  let holdMs = 0;
  let isWaiting = false;
  const disposal = new AbortController();
  /** Ends the present sleep, if there is one. */
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

  /** Ends early when the wait does, and not for a notification: the store is away. */
  async function pause(failures: number, isEnded: () => boolean): Promise<void> {
    const longestMs = Math.min(awayMs.max, awayMs.first * 2 ** Math.min(failures - 1, 10));
    const untilMs = clock.monotonicMs() + longestMs * (1 - random.next() / 2);
    while (clock.monotonicMs() < untilMs && !isEnded()) await sleepUntil(untilMs);
  }

  async function nextWake(mark: ClaimMark, signal: AbortSignal | undefined): Promise<Wake> {
    const startMs = clock.monotonicMs();
    let next: Wake = { reason: "poll", atMs: startMs + pollMs };
    let failures = 0;
    /** What was news later than this has not been looked at. */
    let newsRead = mark.news;
    const isEnded = () => signal?.aborted === true || disposal.signal.aborted;
    for (let isFirst = true; ; isFirst = false) {
      refuseWhenAborted(signal);
      refuseWhenAborted(disposal.signal);
      if (failures === 0 && news > newsRead && holdMs === 0) {
        return { reason: "news", atMs: startMs };
      }
      const seen = changes;
      const heard = news;
      let inMs: number | undefined;
      try {
        inMs = await queue.wakeInMs(kinds, worker);
        failures = 0;
        newsRead = heard;
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
      // One claim since then, and it found nothing: hold back twice as long as last time.
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
