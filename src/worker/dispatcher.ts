import { AppError } from "../base/app-error.ts";
import type { Clock, Timer } from "../base/clock.ts";
import { createId } from "../base/ids.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import { createWaker, type LeasedTask, type Queue, type WaitingReason } from "../queue/index.ts";

/**
 * Claims work: as much as there is room for, whenever there is some, and not before the queue says
 * that something can be had. Always:
 * - one claim at a time; one whose answer was lost is repeated with the same request, so that the
 *   tasks it may have leased come to light;
 * - after a claim that found nothing it rests until it is woken, and does not poll.
 */
export interface Dispatcher {
  /** Claims if there is room and none is under way. Cheap to call when there is nothing to do. */
  claim(): void;
  isResting(): boolean;
  /** When the queue last answered a claim, by the monotonic clock. */
  answeredAtMs(): number;
  stop(): Promise<void>;
}

export interface DispatcherOptions {
  readonly queue: Pick<Queue, "claim" | "wakeInMs" | "watch" | "netMs" | "stats">;
  readonly worker: string;
  readonly kinds: readonly string[];
  readonly leaseMs: number;
  readonly burst: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** How many slots are to be filled; 0: claim nothing. */
  readonly room: () => number;
  readonly holdsAny: () => boolean;
  /** Before a claim is sent. */
  readonly onClaiming: (claim: { readonly requestId: string; readonly limit: number }) => void;
  /**
   * What a claim leased, perhaps nothing. `sentMs`: when it was sent, which is when the leases
   * began at the latest.
   */
  readonly onLeases: (leases: readonly LeasedTask[], sentMs: number) => void;
  readonly onClaim: (elapsedMs: number, leases: number) => void;
  /** Nothing is pending that could ever be claimed, and nobody holds anything. */
  readonly onDrained?: () => void;
  /** A drain does not wait for tasks of these kinds that wait for their next attempt. */
  readonly notAwaited?: readonly string[] | undefined;
  /** Another claim may be made. */
  readonly onReady: () => void;
  readonly onFatal: (error: unknown) => void;
}

const repeatMsMin = 100;
const repeatMsMax = 5_000;
/** A suspect runs only in a worker that has no other task. Another worker may be free first, so wait before draining. */
const suspectMsMin = 1_000;
const suspectMsMax = 10_000;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { queue, worker, kinds, leaseMs, burst, clock, random, logger, onDrained, onFatal } =
    options;
  const tellOfRetry = (error: unknown) =>
    logger.warn("the queue could not be asked for work, trying again", { error });
  const waker = createWaker({ queue, kinds, worker, clock, random, onUnavailable: tellOfRetry });
  const session = createId(random, 12);
  const stopping = new AbortController();
  let requests = 0;
  let failures = 0;
  let answeredAtMs = clock.monotonicMs();
  let drainFromMs = Infinity;
  let timer: Timer | undefined;
  let work: Promise<void> | undefined;
  let isResting = false;
  let isLooking = false;
  let mustLookAgain = false;

  function wanted(): number {
    if (stopping.signal.aborted || timer) return 0;
    if (clock.monotonicMs() >= drainFromMs && options.holdsAny()) return 0;
    return options.room();
  }

  async function claim(limit: number): Promise<void> {
    const mark = waker.mark();
    const { leases, hasSuspect } = await ask(limit);
    if (!hasSuspect) drainFromMs = Infinity;
    else if (drainFromMs === Infinity) {
      const patienceMs = suspectMsMin + random.next() * (suspectMsMax - suspectMsMin);
      drainFromMs = clock.monotonicMs() + patienceMs;
    }
    if (leases.length > 0) return;
    isResting = true;
    lookIfDrained();
    try {
      await waker.wait(mark, stopping.signal);
    } finally {
      isResting = false;
    }
  }

  /** Others may hold the last task, so it is asked again whenever anything changes. */
  function lookIfDrained(): void {
    if (!onDrained || !isResting || options.holdsAny()) return;
    // What changes during a look may be the last change: look again then.
    mustLookAgain = isLooking;
    if (isLooking) return;
    isLooking = true;
    isNothingLeft()
      .then((isDrained) => {
        if (isDrained && isResting && !options.holdsAny()) onDrained();
      })
      .catch(() => {}) // the next claim hears of it
      .finally(() => {
        isLooking = false;
        if (mustLookAgain) lookIfDrained();
      });
  }
  async function isNothingLeft(): Promise<boolean> {
    if ((await queue.wakeInMs(kinds, worker)) === undefined) return true;
    const late = options.notAwaited ?? [];
    if (late.length === 0) return false;
    const own = (await queue.stats()).kinds.filter(({ kind }) => kinds.includes(kind));
    return own.every(({ kind, pending, running, reasons }) => {
      const isIgnored = (reason: WaitingReason) =>
        reason === "paused" || (reason === "retry_backoff" && late.includes(kind));
      const ignored = reasons.filter(({ reason }) => isIgnored(reason));
      return running === 0 && pending === ignored.reduce((sum, { count }) => sum + count, 0);
    });
  }
  const unwatch = onDrained && queue.watch(lookIfDrained);

  async function ask(limit: number) {
    const sentMs = clock.monotonicMs();
    const requestId = `${session}.${requests}`;
    options.onClaiming({ requestId, limit });
    const found = await queue.claim({ worker, kinds, limit, burst, leaseMs, requestId });
    requests += 1;
    failures = 0;
    answeredAtMs = clock.monotonicMs();
    options.onClaim(answeredAtMs - sentMs, found.leases.length);
    // Also when it is time to stop: what was leased must go back.
    options.onLeases(found.leases, sentMs);
    return found;
  }

  function failed(error: unknown): void {
    if (stopping.signal.aborted) return;
    if (!(error instanceof AppError) || error.kind !== "unavailable") return onFatal(error);
    failures += 1;
    const longestMs = Math.min(repeatMsMax, repeatMsMin * 2 ** Math.min(failures, 10));
    tellOfRetry(error);
    timer = clock.setTimer(random.next() * longestMs, () => {
      timer = undefined;
      options.onReady();
    });
  }

  function claimIfWanted(): void {
    if (work) return lookIfDrained();
    const limit = wanted();
    if (limit <= 0) return;
    work = claim(limit)
      .catch(failed)
      .finally(() => {
        work = undefined;
        options.onReady();
      });
  }

  return {
    claim: claimIfWanted,
    isResting: () => isResting,
    answeredAtMs: () => answeredAtMs,
    async stop() {
      stopping.abort();
      timer?.cancel();
      await work;
      waker[Symbol.dispose]();
      unwatch?.();
    },
  };
}
