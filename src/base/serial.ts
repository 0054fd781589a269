import { AppError } from "./app-error.ts";
import { afterTick } from "./tick.ts";

/**
 * Runs work one piece at a time, in the order in which it was given. Work that takes long calls
 * `pause` now and then, so that others do not wait for all of it.
 */
export interface Serial {
  /**
   * Rejects with what the work throws. If the signal fires while it waits, the work is not run, and
   * this rejects with an AppError `aborted`.
   */
  run<T>(work: () => Promise<T>, options?: SerialOptions): Promise<T>;
  /**
   * To be called by the work that runs now: lets the event loop turn, then all work that waits runs
   * first, then this returns. If the signal has fired, it throws an AppError `aborted`.
   */
  pause(options?: SerialOptions): Promise<void>;
}

export interface SerialOptions {
  readonly signal?: AbortSignal | undefined;
}

export function createSerial(): Serial {
  /** In order; each is called when it is its turn. */
  const waiting: (() => void)[] = [];
  let isBusy = false;

  const begin = ({ signal }: SerialOptions): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(abortedError(signal));
      if (!isBusy) {
        isBusy = true;
        return resolve();
      }
      const start = () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      };
      const onAbort = () => {
        waiting.splice(waiting.indexOf(start), 1);
        reject(abortedError(signal!));
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      waiting.push(start);
    });
  const end = () => {
    const next = waiting.shift();
    if (next) next();
    else isBusy = false;
  };

  return {
    async run(work, options = {}) {
      await begin(options);
      try {
        return await work();
      } finally {
        end();
      }
    },
    async pause({ signal } = {}) {
      // Work that never waits for the disk would keep others from even asking.
      await new Promise<void>(afterTick);
      if (waiting.length > 0 && !signal?.aborted) {
        // Without the signal: the work that paused has to have its turn again to end in order.
        const again = begin({});
        end();
        await again;
      }
      throwIfAborted(signal);
    },
  };
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortedError(signal);
}

const abortedError = (signal: AbortSignal) =>
  new AppError("aborted", "work_aborted", "it was stopped before its end", {
    cause: signal.reason,
  });
