import { AppError } from "../base/app-error.ts";
import type { Bucket } from "./bucket.ts";
import { checkBody, checkKey, checkListing } from "./key.ts";

export interface PrefixedBucketOptions {
  readonly bucket: Bucket;
  /** The start of every key; it ends with a slash: `handlers/`. */
  readonly prefix: string;
}

/**
 * The part of a bucket whose keys begin with a prefix. Keys are given and listed without the
 * prefix. No key can leave it: `..` and a leading `/` are refused before the prefix is added.
 * Closing it closes the bucket.
 */
export function createPrefixedBucket({ bucket, prefix }: PrefixedBucketOptions): Bucket {
  if (!prefix.endsWith("/")) {
    const message = `the prefix ${JSON.stringify(prefix)} must end with a slash, as in "handlers/"`;
    throw new AppError("invalid", "bucket_key", message);
  }
  checkKey(prefix.slice(0, -1));
  return {
    ...bucket,
    async get(key, options) {
      checkKey(key);
      return bucket.get(prefix + key, options);
    },
    async putIfAbsent(key, body) {
      checkBody(key, body);
      return bucket.putIfAbsent(prefix + key, body);
    },
    async putIfMatch(key, body, etag) {
      checkBody(key, body);
      return bucket.putIfMatch(prefix + key, body, etag);
    },
    async put(key, body, options) {
      checkBody(key, body);
      return bucket.put(prefix + key, body, options);
    },
    async delete(key) {
      checkKey(key);
      return bucket.delete(prefix + key);
    },
    async list(start, options = {}) {
      checkListing(start, options);
      const { startAfter } = options;
      const listed = await bucket.list(prefix + start, {
        ...options,
        ...(startAfter !== undefined && { startAfter: prefix + startAfter }),
      });
      return listed.map((object) => ({ ...object, key: object.key.slice(prefix.length) }));
    },
  };
}
