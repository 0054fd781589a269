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

/** Spans the second for which some stores turn away a second write to one key. */
const policy = { attempts: 8, delayMs: 100, delayMsMax: 2_000 };

/**
 * Repeats reads, plain puts and deletes that got no answer. Never a conditional write: the second
 * try may find the first one's success and call it someone else's. Whoever wrote it reads back.
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
