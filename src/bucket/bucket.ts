import type { Closable } from "../base/closable.ts";

/**
 * A store of whole objects by key, on which a fleet is built. Invariants:
 * - a write is applied whole or not at all; a reader never sees half of one;
 * - a condition and its write are one atomic step, also with concurrent writers on other machines;
 * - every read and list that starts after a write was answered sees that write;
 * - expected outcomes are return values. Failures throw AppError: `invalid` if a retry cannot help
 *   (credentials, rights, a bucket that does not exist), otherwise `unavailable`. **A write that
 *   throws `unavailable` may have happened, or may still happen**: its code is
 *   `bucket_outcome_unknown`. Read the object to find out; never guess;
 * - a key that `checkKey` refuses, and a body that is too large or not a Uint8Array, are `invalid`.
 *
 * An ETag identifies one content of a key. It is opaque, and equal bodies may have equal ETags: a
 * caller that must tell two writes apart puts a nonce or a counter into the body. There is no
 * conditional delete, because some stores ignore its condition.
 *
 * Close a bucket only after its last call was answered: calls in progress may fail.
 */
export interface Bucket extends Closable {
  /** The current object. With `ifNoneMatch`, returns "unchanged" if it still has that ETag. */
  get(key: string, options?: GetOptions): Promise<Got>;

  /** Creates an object. If several clients try, exactly one gets "created". */
  putIfAbsent(key: string, body: Uint8Array): Promise<PutIfAbsentAnswer>;

  /**
   * Replaces the content that has this ETag. "stale": the object has another ETag or does not
   * exist.
   */
  putIfMatch(key: string, body: Uint8Array, etag: string): Promise<PutIfMatchAnswer>;

  /** Creates or replaces an object; the last write to arrive wins. */
  put(key: string, body: Uint8Array, options?: PutOptions): Promise<{ readonly etag: string }>;

  /** Removes an object. If the object does not exist, nothing happens. */
  delete(key: string): Promise<void>;

  /**
   * Objects whose key begins with `prefix`, in the order of their keys' UTF-8 bytes. The list is
   * not a snapshot: it misses an object that is created after the list has passed its key. Fewer
   * results than `limit` (default and maximum: `listLimitMax`) mean that there are no more.
   */
  list(prefix: string, options?: ListOptions): Promise<readonly ListedObject[]>;

  /**
   * The time of the store's clock, as an interval, so that clocks of different machines need not be
   * compared.
   */
  now(): Promise<StoreTime>;

  /** Properties of this store that were found out, for people: `{ etags: "unquoted" }`. */
  traits(): Readonly<Record<string, string>>;
}

/** An ETag that no object has: a write with this condition always fails. Used to test rights without writing. */
export const impossibleEtag = '"00000000000000000000000000000000"';

/**
 * On S3, the `Referer` of every write with a condition. Policies of Ceph cannot ask for `If-Match`,
 * but for this: so they refuse writes without a condition of everybody who does not claim to be us.
 */
export const conditionalReferer = "forager:conditional-write";

export interface GetOptions {
  readonly ifNoneMatch?: string;
}

/** For browsers that read an object. A store that does not serve browsers ignores it. */
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
  /** By the store's clock, whose resolution may be one second. */
  readonly modifiedAtMs: number;
  /**
   * The store's clock at the time of the answer. The difference is the object's age, without any
   * client's clock.
   */
  readonly seenAtMs: number;
}

export type PutIfAbsentAnswer =
  | { readonly status: "created"; readonly etag: string }
  | { readonly status: "exists" };

export type PutIfMatchAnswer =
  | { readonly status: "written"; readonly etag: string }
  | { readonly status: "stale" };

export interface ListOptions {
  /** Only keys after this one, which need not exist. */
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

/** The maximum page size of S3. */
export const listLimitMax = 1_000;

/** An object is kept in memory while it is transferred. */
export const bodyBytesMax = 64 * 2 ** 20;
