import type { EmailStatusName } from "../fields/email-status.ts";
import type { Indexed, RecordIndex, RecordLookup } from "./record-index.ts";

/** The query of lists and searches. A record matches if it matches every part that is given. */
export interface RecordQuery {
  readonly kind: Indexed["kind"];
  /**
   * The words that a user typed: each must be a prefix of some word of the record, in any order,
   * ignoring case and accents. The text is never interpreted as a query language.
   */
  readonly words?: string;
  readonly filters?: RecordFilters;
  /** If words are given and no order, records with all words in their name come first. */
  readonly sort?: RecordSort;
  /** 1 to `pageLimitMax`. */
  readonly limit: number;
  /**
   * `next` of the previous page. Records that are added or removed meanwhile do not shift the
   * pages.
   */
  readonly after?: string;
}

/** Texts are compared by their words: without case, accents and punctuation. */
export interface RecordFilters {
  readonly tag?: readonly string[];
  readonly category?: readonly string[];
  readonly city?: string;
  readonly state?: string;
  readonly country?: string;
  readonly type?: string;
  readonly domain?: string;
  readonly tech?: string;
  readonly hasEmail?: boolean;
  /** With an address of this status. */
  readonly emailStatus?: EmailStatusName;
  readonly hasPhone?: boolean;
  readonly hasDomain?: boolean;
  readonly isExcluded?: boolean;
  readonly hasCallback?: boolean;
  /** True: somebody has called there. */
  readonly isCalled?: boolean;
  /** ISO time: callbacks that are due by then. */
  readonly callbackUntil?: string;
  /** ISO time: records with a change since then. */
  readonly changedSince?: string;
  readonly ratingMin?: number;
  readonly reviewsMin?: number;
}

export const recordSorts = ["name", "changed", "rating", "reviews", "callback"] as const;
/**
 * `changed`, `rating` and `reviews` sort in descending order; records without a value are at the
 * end.
 */
export type RecordSort = (typeof recordSorts)[number];

export const pageLimitMax = 1_000;

export interface RecordPage {
  readonly rows: readonly Indexed[];
  /** Undefined: this was the last page. */
  readonly next: string | undefined;
}

/** The records that have an address or a domain. */
export interface ContactUsage {
  /** Targets, sorted. */
  readonly companies: readonly string[];
  readonly people: readonly string[];
  /** The number of unrelated sites of these companies. A shared address belongs to many sites. */
  readonly sites: number;
}

/** Queries of an index beyond lookups by key. */
export interface RecordQueries {
  search(query: RecordQuery): RecordPage;
  /** The number of matches; counting stops at `max`. */
  count(query: Omit<RecordQuery, "limit" | "after">, max: number): number;
  emailUsage(address: string): ContactUsage;
  /** The records that have this domain, or an address in it. */
  domainUsage(domain: string): ContactUsage;
}

/** An index opened for reading: nothing is ever written. */
export interface RecordReader extends RecordLookup, RecordQueries, Disposable {}

/** The writable index, with searches. */
export interface RecordSearch extends RecordIndex, RecordQueries {
  /** Makes the index small and fast after a large number of changes. May take seconds. */
  optimize(): void;
}
