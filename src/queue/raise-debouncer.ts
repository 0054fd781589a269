import { AppError } from "../base/app-error.ts";
import type { Clock, Timer } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { identityOf } from "./model/shard.ts";
import { bulkRowsMax, type RaiseOne } from "./operation.ts";
import type { Queue, RaiseInput } from "./queue.ts";
import { checkRaise } from "./validate.ts";

/**
 * Collects raises, so that a page that is linked a hundred times costs one write. Always:
 * - the higher a raise is, the shorter it waits, and later raises never prolong the wait;
 * - a raise that cannot change anything, because the task has or will get this priority, is counted
 *   and not sent;
 * - no other raise is dropped: if one cannot be stored, it waits for the next attempt, and `stop`
 *   stores the rest.
 */
export interface RaiseDebouncer {
  /**
   * Resolves when the raise is stored (800 and above) or waits to be. Rejects when it cannot be
   * stored now, or when no more can wait: repeat it later.
   */
  raise(input: RaiseInput): Promise<void>;
  /** Stores all that waits. Rejects when that fails; it then still waits. */
  flush(): Promise<void>;
  /** Takes no more raises and stores all that waits. May be repeated, above all when it fails. */
  stop(): Promise<void>;
  /** How many tasks have a raise that is not stored yet. */
  waiting(): number;
  counts(): RaiseCounts;
}

export interface RaiseCounts {
  /** All raises that were asked for. */
  readonly raises: number;
  /** Those of them that could not change anything. */
  readonly unchanged: number;
  /** Calls to the queue, each with any number of raises. */
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
/** After a failed attempt. */
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
  /** Attempts under way, with how many raises each holds. */
  const storing = new Map<Promise<void>, number>();
  /** The priority that each task has at least, because it was stored; the oldest are forgotten. */
  const stored = new Map<string, number>();
  const counts = { raises: 0, unchanged: 0, writes: 0 };
  let timer: { readonly dueMs: number; readonly handle: Timer } | undefined;
  let isStopped = false;

  const unstored = () => [...storing.values()].reduce((sum, n) => sum + n, waiting.size);

  /** The highest of a task counts, at the earliest moment any of its raises asked for. */
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

  /** A caller that waits for its raise to be stored is not content with one that waits. */
  const isUnchanged = (raise: RaiseOne, delayMs: number): boolean => {
    const identity = identityOf(raise);
    const waits = delayMs > 0 ? (waiting.get(identity)?.raise.priority ?? -1) : -1;
    return Math.max(waits, stored.get(identity) ?? -1) >= raise.priority;
  };

  async function flush(): Promise<void> {
    // A raise that is being stored may have to wait again: the caller must learn of that too.
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

/** Waits for all, then fails with the first failure. */
async function allOf(attempts: readonly Promise<void>[]): Promise<void> {
  for (const settled of await Promise.allSettled(attempts)) {
    if (settled.status === "rejected") throw settled.reason;
  }
}
