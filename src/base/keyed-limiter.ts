import { AppError, assert } from "./app-error.ts";
import type { Clock } from "./clock.ts";

export interface KeyedLimiterOptions {
  /** How many callers may hold a key at once if the key has no limit of its own. */
  readonly limit: number;
  readonly limitsByKey?: Readonly<Record<string, number>>;
  /** How many keys are remembered. It never blocks a caller: see KeyedLimiter. */
  readonly keysMax: number;
  /** How long a key that is not held and has no waiters is remembered. */
  readonly idleMs: number;
  readonly clock: Clock;
}

/**
 * Limits how many callers work on one key at a time. Invariants:
 * - a caller is admitted only while fewer callers than the key's limit hold the key;
 * - the waiters of a key are served in the order in which they came;
 * - a key is evicted only if nobody holds it or waits for it: after `idleMs`, or, while there are
 *   more than `keysMax` keys, the one that has been idle longest first. More busy keys than
 *   `keysMax` are all kept;
 * - the limit set for a key is kept when the key is evicted.
 *
 * The number of waiters is not limited here: limit the callers, or give them a signal.
 */
export interface KeyedLimiter {
  /**
   * Waits until the key can be held; rejects with an `aborted` AppError as soon as the signal
   * fires. The key is held until `release` is called.
   */
  acquire(
    key: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<ReleaseSlot>;
  /** Holds the key if that is possible without waiting, otherwise returns undefined. */
  tryAcquire(key: string): ReleaseSlot | undefined;
  /**
   * Takes effect at once. A higher limit admits waiters; a lower limit admits nobody until enough
   * callers have released the key, and takes nothing from those that hold it. 0 closes the key;
   * undefined restores the common limit.
   */
  setLimit(key: string, limit: number | undefined): void;
  metrics(): KeyedLimiterMetrics;
}

/** Releases the key. May be called several times. */
export type ReleaseSlot = () => void;

export interface KeyedLimiterMetrics {
  readonly keys: number;
  readonly held: number;
  readonly waiting: number;
  readonly evictions: number;
}

/** Limits of keys are never evicted, so their number needs its own bound. */
export const ownLimitsMax = 100_000;

interface BusyKey {
  held: number;
  readonly admitNext: Set<() => void>; // the waiters, in the order in which they came
}

export function createKeyedLimiter(options: KeyedLimiterOptions): KeyedLimiter {
  const { limit: commonLimit, limitsByKey = {}, keysMax, idleMs, clock } = options;
  assert(Number.isInteger(keysMax) && keysMax >= 1, `keysMax is ${keysMax}, not 1 or more`);
  assert(idleMs >= 0, `idleMs is ${idleMs}, not 0 or more`);
  assertLimit(commonLimit);

  const ownLimits = new Map<string, number>();
  const busyKeys = new Map<string, BusyKey>();
  const idleSinceMs = new Map<string, number>(); // longest idle first; a key is busy or idle
  let held = 0;
  let waiting = 0;
  let evictions = 0;

  const setLimit = (key: string, limit: number | undefined) => {
    if (limit === undefined) ownLimits.delete(key);
    else {
      assertLimit(limit);
      if (!ownLimits.has(key) && ownLimits.size >= ownLimitsMax) throw tooManyLimitsError(key);
      ownLimits.set(key, limit);
    }
    const busy = busyKeys.get(key);
    if (busy) admitWaiters(key, busy);
  };

  const hasRoom = (key: string, busy: BusyKey) => busy.held < (ownLimits.get(key) ?? commonLimit);

  const busyKey = (key: string): BusyKey => {
    const known = busyKeys.get(key);
    if (known) return known;
    const busy: BusyKey = { held: 0, admitNext: new Set() };
    idleSinceMs.delete(key);
    busyKeys.set(key, busy);
    evictIdle();
    return busy;
  };

  const admit = (key: string, busy: BusyKey): ReleaseSlot => {
    busy.held++;
    held++;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      busy.held--;
      held--;
      admitWaiters(key, busy);
      settle(key, busy);
    };
  };

  const admitWaiters = (key: string, busy: BusyKey) => {
    for (const admitWaiter of busy.admitNext) {
      if (!hasRoom(key, busy)) return;
      admitWaiter();
    }
  };

  const settle = (key: string, busy: BusyKey) => {
    if (busy.held > 0 || busy.admitNext.size > 0) return;
    busyKeys.delete(key);
    idleSinceMs.set(key, clock.monotonicMs());
    evictIdle();
  };

  const evictIdle = () => {
    const idleBeforeMs = clock.monotonicMs() - idleMs;
    for (const [key, sinceMs] of idleSinceMs) {
      if (sinceMs > idleBeforeMs && busyKeys.size + idleSinceMs.size <= keysMax) return;
      idleSinceMs.delete(key);
      evictions++;
    }
  };

  const wait = (key: string, busy: BusyKey, signal: AbortSignal | undefined) =>
    new Promise<ReleaseSlot>((resolve, reject) => {
      const leave = () => {
        busy.admitNext.delete(admitWaiter);
        waiting--;
        signal?.removeEventListener("abort", onAbort);
      };
      const admitWaiter = () => {
        leave();
        resolve(admit(key, busy));
      };
      const onAbort = () => {
        leave();
        reject(abortedError(key, signal));
        settle(key, busy);
      };
      busy.admitNext.add(admitWaiter);
      waiting++;
      signal?.addEventListener("abort", onAbort, { once: true });
    });

  const tryAcquire = (key: string): ReleaseSlot | undefined => {
    const busy = busyKey(key);
    // A release admits waiters at once, so if there is room, nobody is waiting.
    if (hasRoom(key, busy)) return admit(key, busy);
    settle(key, busy);
    return undefined;
  };

  for (const [key, limit] of Object.entries(limitsByKey)) setLimit(key, limit);
  return {
    async acquire(key, { signal } = {}) {
      if (signal?.aborted) throw abortedError(key, signal);
      return tryAcquire(key) ?? wait(key, busyKey(key), signal);
    },
    tryAcquire,
    setLimit,
    metrics() {
      evictIdle();
      return { keys: busyKeys.size + idleSinceMs.size, held, waiting, evictions };
    },
  };
}

function assertLimit(limit: number) {
  assert(Number.isInteger(limit) && limit >= 0, `a limit of ${limit} is not a whole number`);
}

function abortedError(key: string, signal: AbortSignal | undefined): AppError {
  const message = `stopped waiting for a slot of ${key}`;
  return new AppError("aborted", "acquire_aborted", message, { cause: signal?.reason });
}

function tooManyLimitsError(key: string): AppError {
  const message =
    `no limit set for ${key}: ${ownLimitsMax} keys have one already; ` +
    "remove those no longer needed, or change the common limit";
  return new AppError("invalid", "limiter_limits_full", message);
}
