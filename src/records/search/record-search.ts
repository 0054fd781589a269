import type { EmailStatusName } from "../fields/email-status.ts";
import type { Indexed, RecordIndex, RecordLookup } from "./record-index.ts";

/** What lists and searches ask for. A record matches if it matches every part that is given. */
export interface RecordQuery {
  readonly kind: Indexed["kind"];
  /**
   * What a person typed: each word must begin some word of the record, in any order, whatever its
   * case and accents. It is never read as a query language.
   */
  readonly words?: string;
  readonly filters?: RecordFilters;
  /** Where words are given and no order, records with all of them in their name come first. */
  readonly sort?: RecordSort;
  /** 1 to `pageLimitMax`. */
  readonly limit: number;
  /** `next` of the page before. Records that come and go meanwhile shift nothing. */
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
  /** Whether somebody has called there. */
  readonly isCalled?: boolean;
  /** ISO moment: calls that are due by then. */
  readonly callbackUntil?: string;
  /** ISO moment: with something written since. */
  readonly changedSince?: string;
  readonly ratingMin?: number;
  readonly reviewsMin?: number;
}

export const recordSorts = ["name", "changed", "rating", "reviews", "callback"] as const;
/** `changed`, `rating` and `reviews` begin with the largest; who has no value is at the end. */
export type RecordSort = (typeof recordSorts)[number];

export const pageLimitMax = 1_000;

export interface RecordPage {
  readonly rows: readonly Indexed[];
  /** Undefined: this was the last page. */
  readonly next: string | undefined;
}

/** Which records have an address or a domain. */
export interface ContactUsage {
  /** Targets, sorted. */
  readonly companies: readonly string[];
  readonly people: readonly string[];
  /** Number of unrelated sites of these companies. A shared address belongs to many sites. */
  readonly sites: number;
}

/** What people ask an index, beyond lookups by key. */
export interface RecordQueries {
  search(query: RecordQuery): RecordPage;
  /** Number of matches; counting stops at `max`. */
  count(query: Omit<RecordQuery, "limit" | "after">, max: number): number;
  emailUsage(address: string): ContactUsage;
  /** Who has this domain, or an address in it. */
  domainUsage(domain: string): ContactUsage;
}

/** An index opened for reading: nothing is ever written. */
export interface RecordReader extends RecordLookup, RecordQueries, Disposable {}

/** The writable index, with searches. */
export interface RecordSearch extends RecordIndex, RecordQueries {
  /** Makes the index small and fast after a large number of changes. May take seconds. */
  optimize(): void;
}
