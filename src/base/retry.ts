import { AppError, assert } from "./app-error.ts";
import { sleep, type Clock } from "./clock.ts";
import type { Random } from "./random.ts";

export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The limit of calls of the operation, including the first one. */
  readonly attempts: number;
  /** The upper bound of the first wait; it doubles with each attempt, up to `delayMsMax`. */
  readonly delayMs: number;
  readonly delayMsMax: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Repeats an operation while it fails with an AppError of kind `unavailable`. Any other error is
 * thrown at once. After the last attempt, the last error is thrown unchanged.
 *
 * The operation must be safe to repeat, because an attempt that failed may have taken effect. An
 * abort ends the call at once with an `aborted` AppError. An attempt that is running gets the same
 * signal, and its outcome is ignored.
 */
export async function retry<T>(
  operation: (attempt: number, signal?: AbortSignal) => Promise<T>,
  { clock, random, attempts, delayMs, delayMsMax, signal }: RetryOptions,
): Promise<T> {
  assert(Number.isInteger(attempts) && attempts >= 1, `attempts is ${attempts}, not 1 or more`);
  assert(delayMs >= 0 && delayMsMax >= delayMs, `delays of ${delayMs} up to ${delayMsMax} ms`);

  let lastError: AppError | undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      return await untilAborted(() => operation(attempt, signal), signal);
    } catch (error) {
      if (signal?.aborted) throw abortedError(attempt, lastError ?? error);
      if (!(error instanceof AppError) || error.kind !== "unavailable") throw error;
      if (attempt >= attempts) throw error;
      lastError = error;
    }
    // Full jitter: clients that failed at the same time must not retry at the same time.
    // https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
    const waitMsMax = Math.min(delayMsMax, delayMs * 2 ** Math.min(attempt - 1, 52));
    try {
      await sleep(clock, random.next() * waitMsMax, signal);
    } catch {
      throw abortedError(attempt, lastError);
    }
  }
}

/** Settles like the operation, or rejects with the signal's reason, whichever comes first. */
function untilAborted<T>(start: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return start();
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    const attempt = (async () => start())(); // a synchronous throw becomes a rejection too
    void attempt.finally(() => signal.removeEventListener("abort", onAbort)).then(resolve, reject);
  });
}

function abortedError(attempt: number, cause: unknown): AppError {
  return new AppError("aborted", "retry_aborted", `asked to stop during attempt ${attempt}`, {
    cause,
  });
}
