import { AppError } from "../base/app-error.ts";
import type { Clock, Timer } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { identityOf } from "./model/shard.ts";
import { bulkRowsMax, type RaiseOne } from "./operation.ts";
import type { Queue, RaiseInput } from "./queue.ts";
import { checkRaise } from "./validate.ts";

/**
 * Collects raises, so that a page linked a hundred times costs one write. A raise waits the less
 * the higher it is, and waiting is never prolonged by later ones. Nothing is dropped: what could
 * not be stored waits for the next attempt, and `stop` stores the rest.
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

interface Waiting {
  readonly raise: RaiseOne;
  readonly dueMs: number;
}

export function createRaiseDebouncer(options: RaiseDebouncerOptions): RaiseDebouncer {
  const { queue, clock, logger } = options;
  const waiting = new Map<string, Waiting>();
  /** Attempts under way, with how many raises each holds. */
  const storing = new Map<Promise<void>, number>();
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
    const attempt = queue.raise(raises).then(
      () => void storing.delete(attempt),
      (error: unknown) => {
        storing.delete(attempt);
        for (const raise of raises) wait(joined(raise, clock.monotonicMs() + repeatMs));
        throw error;
      },
    );
    storing.set(attempt, raises.length);
    return attempt;
  }

  async function flush(): Promise<void> {
    // What is being stored may come back to wait: whoever flushes is to hear of that too.
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
      if (unstored() >= waitingMax) await flush();
      const { delayMs } = tiers.find(({ from }) => raise.priority >= from) ?? tiers[2];
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
  };
}

/** Waits for all, then fails with the first failure. */
async function allOf(attempts: readonly Promise<void>[]): Promise<void> {
  for (const settled of await Promise.allSettled(attempts)) {
    if (settled.status === "rejected") throw settled.reason;
  }
}
