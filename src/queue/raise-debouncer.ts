import { AppError } from "../base/app-error.ts";
import type { Clock, Timer } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import { identityOf } from "./model/shard.ts";
import { bulkRowsMax, type RaiseOne } from "./operation.ts";
import type { Queue, RaiseInput } from "./queue.ts";
import { checkRaise } from "./validate.ts";

/**
 * Collects raises, so that a page with a hundred links to it costs one write. Invariants:
 * - a higher raise waits for a shorter time, and later raises never prolong the wait;
 * - a raise that cannot change anything, because the task has or will get this priority, is counted
 *   and not sent;
 * - no other raise is dropped: if one cannot be stored, it waits for the next attempt, and `stop`
 *   stores the rest.
 */
export interface RaiseDebouncer {
  /**
   * Resolves when the raise is stored (priority 800 and above) or queued. Rejects if it cannot be
   * stored now, or if too many raises are queued: then repeat it later.
   */
  raise(input: RaiseInput): Promise<void>;
  /** Stores all queued raises. Rejects if that fails; then they stay queued. */
  flush(): Promise<void>;
  /** Takes no more raises and stores all queued ones. If it fails, call it again. */
  stop(): Promise<void>;
  /** The number of tasks with a raise that is not stored yet. */
  waiting(): number;
  counts(): RaiseCounts;
}

export interface RaiseCounts {
  /** The number of all requested raises. */
  readonly raises: number;
  /** The number of raises that could not change anything. */
  readonly unchanged: number;
  /** The number of calls of the queue, each with any number of raises. */
  readonly writes: number;
}

export interface RaiseDebouncerOptions {
  readonly queue: Pick<Queue, "raise">;
  readonly clock: Clock;
  readonly logger: Logger;
}

const tiers = [
  { from: 800, delayMs: 0 },
  { from: 400, delayMs: 5_000 },
  { from: 0, delayMs: 30_000 },
] as const;
/** The delay before the next attempt. */
const repeatMs = 5_000;
export const waitingMax = 10_000;
const storedMax = 100_000;

interface Waiting {
  readonly raise: RaiseOne;
  readonly dueMs: number;
}

export function createRaiseDebouncer(options: RaiseDebouncerOptions): RaiseDebouncer {
  const { queue, clock, logger } = options;
  const waiting = new Map<string, Waiting>();
  /** Running attempts, with the number of raises in each. */
  const storing = new Map<Promise<void>, number>();
  /** The stored priority of tasks, at least; the oldest entries are dropped. */
  const stored = new Map<string, number>();
  const counts = { raises: 0, unchanged: 0, writes: 0 };
  let timer: { readonly dueMs: number; readonly handle: Timer } | undefined;
  let isStopped = false;

  const unstored = () => [...storing.values()].reduce((sum, n) => sum + n, waiting.size);

  /** Merges the raises of a task: the highest priority, at the earliest requested time. */
  function joined(raise: RaiseOne, dueMs: number): Waiting {
    const before = waiting.get(identityOf(raise));
    if (!before) return { raise, dueMs };
    return {
      raise: before.raise.priority > raise.priority ? before.raise : raise,
      dueMs: Math.min(before.dueMs, dueMs),
    };
  }

  function wait(one: Waiting): void {
    waiting.set(identityOf(one.raise), one);
    armFor(one.dueMs);
  }

  function armFor(dueMs: number): void {
    if (dueMs === Infinity || (timer && timer.dueMs <= dueMs)) return;
    timer?.handle.cancel();
    const handle = clock.setTimer(dueMs - clock.monotonicMs(), () => {
      timer = undefined;
      storeDue().catch((error: unknown) => {
        logger.warn("priority raises not stored, trying again", { error, waiting: unstored() });
      });
    });
    timer = { dueMs, handle };
  }

  async function storeDue(): Promise<void> {
    const nowMs = clock.monotonicMs();
    const due = [...waiting.values()].filter((one) => one.dueMs <= nowMs);
    const stored = store(due);
    armFor([...waiting.values()].reduce((first, one) => Math.min(first, one.dueMs), Infinity));
    await stored;
  }

  async function store(wanted: readonly Waiting[]): Promise<void> {
    const chunks: Promise<void>[] = [];
    for (let start = 0; start < wanted.length; start += bulkRowsMax) {
      const raises = wanted.slice(start, start + bulkRowsMax).map(({ raise }) => raise);
      for (const raise of raises) waiting.delete(identityOf(raise));
      chunks.push(storeChunk(raises));
    }
    await allOf(chunks);
  }

  function storeChunk(raises: readonly RaiseOne[]): Promise<void> {
    counts.writes += 1;
    const attempt = queue.raise(raises).then(
      (answers) => {
        storing.delete(attempt);
        raises.forEach((raise, index) => {
          if (answers[index] !== "absent") remember(raise);
        });
      },
      (error: unknown) => {
        storing.delete(attempt);
        for (const raise of raises) wait(joined(raise, clock.monotonicMs() + repeatMs));
        throw error;
      },
    );
    storing.set(attempt, raises.length);
    return attempt;
  }

  function remember(raise: RaiseOne): void {
    const identity = identityOf(raise);
    stored.delete(identity);
    stored.set(identity, raise.priority);
    if (stored.size > storedMax) stored.delete(stored.keys().next().value!);
  }

  /** False if the caller waits until its raise is stored, and the earlier raise is only queued. */
  const isUnchanged = (raise: RaiseOne, delayMs: number): boolean => {
    const identity = identityOf(raise);
    const waits = delayMs > 0 ? (waiting.get(identity)?.raise.priority ?? -1) : -1;
    return Math.max(waits, stored.get(identity) ?? -1) >= raise.priority;
  };

  async function flush(): Promise<void> {
    // A raise that is being stored may have to be queued again: the caller must learn about that.
    await allOf([...storing.keys(), store([...waiting.values()])]);
    if (waiting.size > 0) return;
    timer?.handle.cancel();
    timer = undefined;
  }

  return {
    async raise(input) {
      if (isStopped) {
        const message = "a priority was raised after the debouncer was stopped: raise it directly";
        throw new AppError("aborted", "debouncer_stopped", message);
      }
      const raise = checkRaise(input);
      counts.raises += 1;
      const { delayMs } = tiers.find(({ from }) => raise.priority >= from) ?? tiers[2];
      if (isUnchanged(raise, delayMs)) return void (counts.unchanged += 1);
      if (unstored() >= waitingMax) await flush();
      const one = joined(raise, clock.monotonicMs() + delayMs);
      if (delayMs === 0) await store([one]);
      else wait(one);
    },
    flush,
    async stop() {
      isStopped = true;
      await flush();
    },
    waiting: unstored,
    counts: () => ({ ...counts }),
  };
}

/** Waits for all, then throws the first error. */
async function allOf(attempts: readonly Promise<void>[]): Promise<void> {
  for (const settled of await Promise.allSettled(attempts)) {
    if (settled.status === "rejected") throw settled.reason;
  }
}
