import { AppError } from "../base/app-error.ts";
import type { Bucket } from "./bucket.ts";
import { isUnsent } from "./bucket-error.ts";

export const bucketOperations = [
  "get",
  "putIfAbsent",
  "putIfMatch",
  "put",
  "delete",
  "list",
] as const;

export type BucketOperation = (typeof bucketOperations)[number];

export interface Usage {
  readonly requests: number;
  /** Requests that failed on the server; servers do not charge for these. */
  readonly failed: number;
  /** Bytes of objects, without headers and listings. */
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly dollars: number;
}

/**
 * Dollars for 1,000 requests: S3 Standard, us-east-1, as of 2026. A refused condition costs the
 * same.
 */
const dollarsPerThousand: Readonly<Record<BucketOperation, number>> = {
  get: 0.0004,
  putIfAbsent: 0.005,
  putIfMatch: 0.005,
  put: 0.005,
  list: 0.005,
  delete: 0,
};

/** Called when a request has ended. */
export type OnRequest = (operation: BucketOperation, used: Usage) => void;

/** The same bucket; calls `onRequest` for each of its requests. */
export function createMeteredBucket(bucket: Bucket, onRequest: OnRequest): Bucket {
  const counted = <T>(operation: BucketOperation, send: () => Promise<T>, body?: Uint8Array) =>
    countRequest({ operation, body, onRequest }, send);
  return {
    ...bucket,
    get: (key, more) => counted("get", () => bucket.get(key, more)),
    putIfAbsent: (key, body) => counted("putIfAbsent", () => bucket.putIfAbsent(key, body), body),
    putIfMatch: (key, body, etag) =>
      counted("putIfMatch", () => bucket.putIfMatch(key, body, etag), body),
    put: (key, body, more) => counted("put", () => bucket.put(key, body, more), body),
    delete: (key) => counted("delete", () => bucket.delete(key)),
    list: (prefix, more) => counted("list", () => bucket.list(prefix, more)),
  };
}

export interface CountedRequest {
  readonly operation: BucketOperation;
  readonly body?: Uint8Array | undefined;
  readonly onRequest: OnRequest;
}

/** Sends a request and reports its usage. */
export async function countRequest<T>(
  { operation, body, onRequest }: CountedRequest,
  send: () => Promise<T>,
): Promise<T> {
  const bytesSent = body?.byteLength ?? 0;
  const dollars = dollarsPerThousand[operation] / 1_000;
  try {
    const answer = await send();
    const bytesReceived = bytesOf(answer);
    onRequest(operation, { requests: 1, failed: 0, bytesSent, bytesReceived, dollars });
    return answer;
  } catch (error) {
    if (isUnsent(error)) throw error;
    const used = { requests: 1, failed: 1, bytesSent, bytesReceived: 0, dollars: 0 };
    // A server charges for requests that it refuses, but not for its own failures.
    const isRefused = error instanceof AppError && error.kind === "invalid";
    onRequest(operation, isRefused ? { ...used, dollars } : used);
    throw error;
  }
}

/** The size of the body, if an object was found. */
function bytesOf(answer: unknown): number {
  const { body } = (answer ?? {}) as { readonly body?: Uint8Array };
  return body?.byteLength ?? 0;
}

export interface Meter {
  /**
   * The same bucket; its requests are counted for this caller. Put it below a bucket that repeats
   * requests. `isFree`: requests cost nothing, as on a disk.
   */
  meter(bucket: Bucket, caller: string, options?: { readonly isFree?: boolean }): Bucket;
  /** Counts a request that did not go through a metered bucket. */
  add(caller: string, operation: BucketOperation, used: Usage): void;
  usage(caller?: string): Readonly<Record<BucketOperation, Usage>>;
  callers(): readonly string[];
  /**
   * Calls the listener for the totals so far, then for each request. Returns a function that stops
   * it.
   */
  follow(listener: (caller: string, ...request: Parameters<OnRequest>) => void): () => void;
}

/**
 * Counts requests by caller and operation, and what they cost. There are few callers, named in
 * code.
 */
export function createMeter(): Meter {
  const counts = new Map<string, Record<BucketOperation, Usage>>();
  const listeners = new Set<Parameters<Meter["follow"]>[0]>();

  const add: Meter["add"] = (caller, operation, used) => {
    let own = counts.get(caller);
    if (!own) counts.set(caller, (own = emptyUsage()));
    own[operation] = addUsage(own[operation], used);
    for (const listener of listeners) listener(caller, operation, used);
  };

  return {
    meter: (bucket, caller, { isFree = false } = {}) =>
      createMeteredBucket(bucket, (operation, used) =>
        add(caller, operation, isFree ? { ...used, dollars: 0 } : used),
      ),
    add,
    usage(caller) {
      const chosen = caller === undefined ? [...counts.values()] : [counts.get(caller)];
      return chosen.reduce<Record<BucketOperation, Usage>>((total, one) => {
        for (const name of bucketOperations) {
          total[name] = addUsage(total[name], one?.[name] ?? nothing);
        }
        return total;
      }, emptyUsage());
    },
    callers: () => [...counts.keys()],
    follow(listener) {
      for (const [caller, own] of counts) {
        for (const name of bucketOperations) {
          if (own[name].requests > 0) listener(caller, name, own[name]);
        }
      }
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const nothing: Usage = { requests: 0, failed: 0, bytesSent: 0, bytesReceived: 0, dollars: 0 };

const emptyUsage = (): Record<BucketOperation, Usage> => ({
  get: nothing,
  putIfAbsent: nothing,
  putIfMatch: nothing,
  put: nothing,
  delete: nothing,
  list: nothing,
});

export const addUsage = (a: Usage, b: Usage): Usage => ({
  requests: a.requests + b.requests,
  failed: a.failed + b.failed,
  bytesSent: a.bytesSent + b.bytesSent,
  bytesReceived: a.bytesReceived + b.bytesReceived,
  dollars: a.dollars + b.dollars,
});
