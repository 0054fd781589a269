import type { Closable } from "../base/closable.ts";

/**
 * A store of whole objects by key: what a fleet stands on. Throughout:
 * - a write is applied whole or not at all; a reader never sees half of one;
 * - a condition and its write are one atomic step, whoever else is writing, from whichever machine;
 * - what was written is seen by every read and list that starts after the answer;
 * - what can be expected is a return value. A store that fails throws AppError: `invalid` for what
 *   trying again cannot mend (credentials, rights, a bucket that is not there), `unavailable` for
 *   the rest. **A write that throws `unavailable` may have happened, or may still happen**: its
 *   code is `bucket_outcome_unknown`, and only reading the object can tell. It is never guessed.
 * - a key that `checkKey` refuses, and a body that is over `bodyBytesMax` or no bytes, are `invalid`.
 *
 * An ETag names a content of a key. It is opaque, and equal bodies may have equal ETags: whoever
 * relies on one puts a nonce or a counter into the body. There is no conditional delete, because
 * some stores ignore its condition.
 *
 * Close a bucket when its last call has been answered: what is under way may fail.
 */
export interface Bucket extends Closable {
  /** The object as it is. With `ifNoneMatch`, "unchanged" while its ETag is still that one. */
  get(key: string, options?: GetOptions): Promise<Got>;

  /** Creates an object; of all who try, exactly one is told "created". */
  putIfAbsent(key: string, body: Uint8Array): Promise<PutIfAbsentAnswer>;

  /** Replaces the content that has this ETag. "stale": it has another one, or is not there. */
  putIfMatch(key: string, body: Uint8Array, etag: string): Promise<PutIfMatchAnswer>;

  /** Creates or replaces; the last to arrive stands. */
  put(key: string, body: Uint8Array, options?: PutOptions): Promise<{ readonly etag: string }>;

  /** Removes an object; one that is not there is no error. */
  delete(key: string): Promise<void>;

  /**
   * Objects whose key begins with `prefix`, in the order of their keys' UTF-8 bytes. Not a
   * snapshot: what is created behind the last key that was read is missed. Fewer than `limit`
   * (default and at most `listLimitMax`) means that there were no more.
   */
  list(prefix: string, options?: ListOptions): Promise<readonly ListedObject[]>;

  /** What the store's clock shows, as an interval: no two machines' clocks are compared. */
  now(): Promise<StoreTime>;

  /** What was learnt about this store, for people: `{ etags: "unquoted" }`. */
  traits(): Readonly<Record<string, string>>;
}

/** An ETag that no object has: a write with this condition always fails. Used to test rights without writing. */
export const impossibleEtag = '"00000000000000000000000000000000"';

export interface GetOptions {
  readonly ifNoneMatch?: string;
}

/** For browsers that read an object. A store that serves none does not keep it. */
export interface PutOptions {
  readonly contentType?: string;
  readonly cacheControl?: string;
}

export type Got =
  | ({ readonly status: "found" } & StoredObject)
  | { readonly status: "unchanged" }
  | { readonly status: "absent" };

export interface StoredObject {
  readonly body: Uint8Array;
  readonly etag: string;
  /** By the store's clock, which may show whole seconds only. */
  readonly modifiedAtMs: number;
  /** The same clock when it answered: the difference is the object's age, no client's clock in it. */
  readonly seenAtMs: number;
}

export type PutIfAbsentAnswer =
  | { readonly status: "created"; readonly etag: string }
  | { readonly status: "exists" };

export type PutIfMatchAnswer =
  | { readonly status: "written"; readonly etag: string }
  | { readonly status: "stale" };

export interface ListOptions {
  /** Only keys behind this one, which need not exist. */
  readonly startAfter?: string;
  readonly limit?: number;
}

export interface ListedObject {
  readonly key: string;
  readonly etag: string;
  readonly bytes: number;
  readonly modifiedAtMs: number;
}

export interface StoreTime {
  readonly earliestMs: number;
  readonly latestMs: number;
}

/** Pages of S3 have at most this many. */
export const listLimitMax = 1_000;

/** Everything is in memory while it travels. */
export const bodyBytesMax = 64 * 2 ** 20;
