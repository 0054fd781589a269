import type { TargetView } from "../../ledger/index.ts";

/** The field of a company that says how the last visit of its website went. */
export const visitField = "visit";

export interface VisitRecord {
  /** When it began, ISO 8601. */
  readonly at: string;
  /** `done`, `unreachable`, `robots`, `blocked`, `parked` or `not_modified`. */
  readonly outcome: string;
  /** Why the site was not read, in one word: `dns`, `private_address`, `http_403`, `needs_scripts` … */
  readonly reason?: string;
  /** Of the extractor. */
  readonly version: number;
  readonly pages: number;
  /** Requests that it took, with robots.txt, without repeated ones. Absent in older records. */
  readonly requests?: number;
  /** Bytes that the site sent for pages and sitemaps. Absent in older records. */
  readonly bytes?: number;
  /** Contacts that the site showed: `email/…`, `phone/…`, `social/…`. */
  readonly seen: readonly string[];
}

/** Whether the site was read. A site that answered with an empty page has a reason why it was not. */
export const isVisitRead = ({
  outcome,
  reason,
}: Readonly<Pick<VisitRecord, "outcome" | "reason">>): boolean =>
  (outcome === "done" || outcome === "not_modified") && reason === undefined;

/** Undefined: never visited, or the field was written by something else. */
export function visitRecordOf(view: Pick<TargetView, "fields">): VisitRecord | undefined {
  const value = view.fields.find(({ field }) => field === visitField)?.value;
  if (typeof value !== "object" || value === null) return undefined;
  const { at, outcome, version, seen } = value as Partial<VisitRecord>;
  const isOne = typeof at === "string" && typeof outcome === "string" && Array.isArray(seen);
  return isOne && typeof version === "number" ? (value as VisitRecord) : undefined;
}
