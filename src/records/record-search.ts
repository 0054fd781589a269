import type { Indexed, RecordIndex } from "./record-index.ts";

/** What lists and searches ask. All parts must hold; one that is left out always does. */
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

/** Who has an address, or a domain. */
export interface Usage {
  /** By target. */
  readonly companies: readonly string[];
  readonly people: readonly string[];
  /** How many unrelated sites those companies have: more than a few, and it is nobody's own. */
  readonly sites: number;
}

/** Records that have something in common which only one of them should have. */
export interface Twins {
  readonly because: "domain" | "place" | "name and address";
  readonly value: string;
  /** By target; at least two. */
  readonly targets: readonly string[];
}

/** An index that also answers people, not only the records themselves. */
export interface RecordSearch extends RecordIndex {
  search(query: RecordQuery): RecordPage;
  /** How many match, counted up to `max`: beyond it nobody wants to know exactly. */
  count(query: Omit<RecordQuery, "limit" | "after">, max: number): number;
  emailUsage(address: string): Usage;
  /** Of a domain, and of addresses at it. */
  domainUsage(domain: string): Usage;
  /** Companies that may be the same, at most `limit` groups of them. */
  twins(limit: number): readonly Twins[];
  /** Makes it small and quick after a great many changes. */
  optimize(): void;
}
