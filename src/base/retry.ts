import { AppError, assert } from "./app-error.ts";
import { sleep, type Clock } from "./clock.ts";
import type { Random } from "./random.ts";

export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How often the operation may run in all, the first time included. */
  readonly attempts: number;
  /** The longest first wait; it doubles with each attempt, up to `delayMsMax`. */
  readonly delayMs: number;
  readonly delayMsMax: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs an operation again while it fails with an AppError of kind `unavailable`; any other failure
 * passes at once. After the last attempt the last error is thrown as it came.
 *
 * The operation must be safe to repeat: an attempt that failed may have happened. An abort ends
 * the call at once with an `aborted` AppError; an attempt in hand gets the same signal and is
 * otherwise left to end by itself, its outcome ignored.
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
    // Full jitter: clients that failed together must not come back together.
    // https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
    const waitMsMax = Math.min(delayMsMax, delayMs * 2 ** Math.min(attempt - 1, 52));
    try {
      await sleep(clock, random.next() * waitMsMax, signal);
    } catch {
      throw abortedError(attempt, lastError);
    }
  }
}

/** The operation's outcome, or a rejection with the signal's reason, whichever comes first. */
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
