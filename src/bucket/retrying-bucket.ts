import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import { retry } from "../base/retry.ts";
import type { Bucket } from "./bucket.ts";

export interface RetryingBucketOptions {
  readonly bucket: Bucket;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal;
}

/** Covers the second in which some stores refuse another write to the same key. */
const policy = { attempts: 8, delayMs: 100, delayMsMax: 2_000 };

/**
 * Repeats reads, unconditional puts and deletes that got no answer. It never repeats a conditional
 * write: the second try may find the success of the first one and take it for another client's. The
 * caller must read the object instead.
 */
export function createRetryingBucket(options: RetryingBucketOptions): Bucket {
  const { bucket, clock, random, signal } = options;
  const again = <T>(operation: () => Promise<T>) =>
    retry(operation, { clock, random, signal, ...policy });
  return {
    ...bucket,
    get: (key, more) => again(() => bucket.get(key, more)),
    put: (key, body, more) => again(() => bucket.put(key, body, more)),
    delete: (key) => again(() => bucket.delete(key)),
    list: (prefix, more) => again(() => bucket.list(prefix, more)),
    now: () => again(() => bucket.now()),
  };
}
