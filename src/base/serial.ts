import { AppError } from "./app-error.ts";
import { afterTick } from "./tick.ts";

/**
 * Runs one piece of work at a time, in the order of the calls. Work that takes long should call
 * `pause` from time to time, so that other work does not wait until all of it is done.
 */
export interface Serial {
  /**
   * Rejects with the error of the work. If the signal fires before the work starts, the work does
   * not run, and this rejects with an AppError `aborted`.
   */
  run<T>(work: () => Promise<T>, options?: SerialOptions): Promise<T>;
  /**
   * Only for the work that is running now: lets the event loop turn, runs all work that is waiting,
   * then returns. Throws an AppError `aborted` if the signal has fired.
   */
  pause(options?: SerialOptions): Promise<void>;
}

export interface SerialOptions {
  readonly signal?: AbortSignal | undefined;
}

export function createSerial(): Serial {
  /** In the order of the calls; each function starts one piece of work. */
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
      // Without this, work that never does I/O would keep others from even calling `run`.
      await new Promise<void>(afterTick);
      if (waiting.length > 0 && !signal?.aborted) {
        // Without the signal: the work that paused must run again so that it ends in order.
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
