import type { Bucket } from "./bucket.ts";
import { isUnavailable } from "./bucket-error.ts";
import { createLazyBucket } from "./lazy-bucket.ts";

/**
 * Opens a bucket. If its store does not answer now, returns a bucket that the first successful call
 * opens; until then every call throws the error of opening, `unavailable`. So a node can start, and
 * a command can show what it knows, while a store is unreachable. Permanent errors are thrown here.
 */
export async function openLateBucket(open: () => Promise<Bucket>): Promise<Bucket> {
  try {
    return await open();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return createLazyBucket(open);
  }
}
