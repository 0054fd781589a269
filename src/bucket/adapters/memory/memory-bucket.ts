import { createHash } from "node:crypto";
import { closable } from "../../../base/closable.ts";
import type { Clock } from "../../../base/clock.ts";
import { listLimitMax, type Bucket, type ListedObject } from "../../bucket.ts";
import { checkBody, checkKey, checkListing, compareKeys } from "../../key.ts";

export interface MemoryObject {
  readonly body: Uint8Array;
  readonly etag: string;
  readonly modifiedAtMs: number;
}

export interface MemoryBucketOptions {
  /** The store's own clock. */
  readonly clock: Clock;
  /** Shared by several openers. Absent: a new, empty map. */
  readonly objects?: Map<string, MemoryObject>;
  /** Simulates a store that accepts conditions and ignores them, as some real stores do. */
  readonly ignoresConditions?: boolean;
}

/**
 * Bucket in a variable. Each call is one synchronous step. As on S3, an ETag is the digest of the
 * body, so that equal bodies have equal ETags, and times have a resolution of one second.
 */
export function createMemoryBucket(options: MemoryBucketOptions): Bucket {
  const { clock, objects = new Map<string, MemoryObject>(), ignoresConditions = false } = options;
  const nowMs = () => Math.floor(clock.nowMs() / 1_000) * 1_000;
  const write = (key: string, body: Uint8Array) => {
    const etag = createHash("md5").update(body).digest("hex");
    objects.set(key, { body: body.slice(), etag, modifiedAtMs: nowMs() });
    return etag;
  };

  return {
    async get(key, { ifNoneMatch } = {}) {
      checkKey(key);
      const object = objects.get(key);
      if (!object) return { status: "absent" };
      if (object.etag === ifNoneMatch) return { status: "unchanged" };
      return { status: "found", ...object, body: object.body.slice(), seenAtMs: nowMs() };
    },
    async putIfAbsent(key, body) {
      checkBody(key, body);
      if (objects.has(key) && !ignoresConditions) return { status: "exists" };
      return { status: "created", etag: write(key, body) };
    },
    async putIfMatch(key, body, etag) {
      checkBody(key, body);
      if (objects.get(key)?.etag !== etag && !ignoresConditions) return { status: "stale" };
      return { status: "written", etag: write(key, body) };
    },
    async put(key, body) {
      checkBody(key, body);
      return { etag: write(key, body) };
    },
    async delete(key) {
      checkKey(key);
      objects.delete(key);
    },
    async list(prefix, listing = {}) {
      checkListing(prefix, listing);
      const { startAfter = "", limit = listLimitMax } = listing;
      return [...objects]
        .filter(([key]) => key.startsWith(prefix) && compareKeys(key, startAfter) > 0)
        .sort(([a], [b]) => compareKeys(a, b))
        .slice(0, limit)
        .map(([key, { body, etag, modifiedAtMs }]): ListedObject => {
          return { key, etag, bytes: body.byteLength, modifiedAtMs };
        });
    },
    now: async () => ({ earliestMs: nowMs(), latestMs: nowMs() + 999 }),
    traits: () => ({}),
    ...closable(async () => {}),
  };
}
