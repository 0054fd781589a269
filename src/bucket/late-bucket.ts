import type { Bucket } from "./bucket.ts";
import { isUnavailable } from "./bucket-error.ts";
import { createLazyBucket } from "./lazy-bucket.ts";

/**
 * Opens a bucket; where its store does not answer now, a bucket that is opened by the first call
 * that reaches the store. Until then every call throws what opening did: `unavailable`. So a node
 * starts, and a command says what it can, while a store is away. What is wrong for good is thrown
 * here.
 */
export async function openLateBucket(open: () => Promise<Bucket>): Promise<Bucket> {
  try {
    return await open();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return createLazyBucket(open);
  }
}
