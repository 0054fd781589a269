import { AppError } from "../../base/app-error.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Random } from "../../base/random.ts";
import { createWaker, type LeasedTask, type Queue, type WaitingReason } from "../../queue/index.ts";

/**
 * Claims tasks: as many as there is room for, as soon as there is room and the queue may have
 * tasks. Invariants:
 * - one claim at a time. If the answer is lost, the claim is repeated with the same request, so
 *   that leases of the lost answer are found;
 * - after a claim that found nothing, it waits until the waker wakes it and does not poll.
 */
export interface Dispatcher {
  /** Claims if there is room and no claim is running. Costs little if there is nothing to do. */
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
  /** How many slots to fill; 0: claim nothing. */
  readonly room: () => number;
  readonly holdsAny: () => boolean;
  /** Called before a claim is sent. */
  readonly onClaiming: (claim: { readonly requestId: string; readonly limit: number }) => void;
  /**
   * The leases of a claim, possibly none. `sentMs`: when the claim was sent; the leases began at
   * that time or later.
   */
  readonly onLeases: (leases: readonly LeasedTask[], sentMs: number) => void;
  readonly onClaim: (elapsedMs: number, leases: number) => void;
  /** No pending task can ever be claimed, and no worker holds a task. */
  readonly onDrained?: () => void;
  /** A drain does not wait for tasks of these kinds that wait for their next attempt. */
  readonly notAwaited?: readonly string[] | undefined;
  /** The next claim may be made. */
  readonly onReady: () => void;
  readonly onFatal: (error: unknown) => void;
}

const repeatMsMin = 100;
const repeatMsMax = 5_000;
/**
 * A suspect runs only in a worker that has no other task. Another worker may be free first, so wait
 * this long before this one stops claiming to become free.
 */
const suspectMsMin = 1_000;
const suspectMsMax = 10_000;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { queue, worker, kinds, leaseMs, burst, clock, random, logger, onDrained, onFatal } =
    options;
  const logRetry = (error: unknown) =>
    logger.warn("could not request work from the queue, trying again", { error });
  const waker = createWaker({ queue, kinds, worker, clock, random, onUnavailable: logRetry });
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

  function claimableSlots(): number {
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

  /** Other workers may hold the last task, so check again whenever anything changes. */
  function lookIfDrained(): void {
    if (!onDrained || !isResting || options.holdsAny()) return;
    // A change during the check may be the last one, so check again afterwards.
    mustLookAgain = isLooking;
    if (isLooking) return;
    isLooking = true;
    isNothingLeft()
      .then((isDrained) => {
        if (isDrained && isResting && !options.holdsAny()) onDrained();
      })
      .catch(() => {}) // the next claim gets the error
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
    // Also during a stop, because the leased tasks must be released.
    options.onLeases(found.leases, sentMs);
    return found;
  }

  function failed(error: unknown): void {
    if (stopping.signal.aborted) return;
    if (!(error instanceof AppError) || error.kind !== "unavailable") return onFatal(error);
    failures += 1;
    const longestMs = Math.min(repeatMsMax, repeatMsMin * 2 ** Math.min(failures, 10));
    logRetry(error);
    timer = clock.setTimer(random.next() * longestMs, () => {
      timer = undefined;
      options.onReady();
    });
  }

  function claimIfRoom(): void {
    if (work) return lookIfDrained();
    const limit = claimableSlots();
    if (limit <= 0) return;
    work = claim(limit)
      .catch(failed)
      .finally(() => {
        work = undefined;
        options.onReady();
      });
  }

  return {
    claim: claimIfRoom,
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
