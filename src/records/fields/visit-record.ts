import type { TargetView } from "../../ledger/index.ts";

/** The field of a company with the result of the last visit of its website. */
export const visitField = "visit";

export interface VisitRecord {
  /** The start of the visit, ISO 8601. */
  readonly at: string;
  /** `done`, `unreachable`, `robots`, `blocked`, `parked` or `not_modified`. */
  readonly outcome: string;
  /**
   * The reason why the site was not read, as a code: `dns`, `private_address`, `http_403`,
   * `needs_scripts` …
   */
  readonly reason?: string;
  /** The version of the extractor. */
  readonly version: number;
  readonly pages: number;
  /** The number of requests, including robots.txt, without retries. Absent in older records. */
  readonly requests?: number;
  /** The bytes of pages and sitemaps that the site sent. Absent in older records. */
  readonly bytes?: number;
  /** Contacts that the site showed: `email/…`, `phone/…`, `social/…`. */
  readonly seen: readonly string[];
}

/**
 * True if the site was read. A site that answered with an empty page has a reason and was not read.
 */
export const isVisitRead = ({
  outcome,
  reason,
}: Readonly<Pick<VisitRecord, "outcome" | "reason">>): boolean =>
  (outcome === "done" || outcome === "not_modified") && reason === undefined;

/** Undefined if it was never visited, or the field has another format. */
export function visitRecordOf(view: Pick<TargetView, "fields">): VisitRecord | undefined {
  const value = view.fields.find(({ field }) => field === visitField)?.value;
  if (typeof value !== "object" || value === null) return undefined;
  const { at, outcome, version, seen } = value as Partial<VisitRecord>;
  const isOne = typeof at === "string" && typeof outcome === "string" && Array.isArray(seen);
  return isOne && typeof version === "number" ? (value as VisitRecord) : undefined;
}
