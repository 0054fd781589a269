import type { VisitOutcome } from "../../crawl/index.ts";
import type { TargetView } from "../../ledger/index.ts";

/** Raised when a page would say more than it did: sites are then visited again. */
export const extractorVersion = 1;

/** The field of a company that says how its last visit went. */
export const visitField = "visit";

export interface VisitRecord {
  /** When it began, ISO 8601. */
  readonly at: string;
  readonly outcome: VisitOutcome;
  readonly version: number;
  readonly pages: number;
  /** Contacts that the site showed: `email/…`, `phone/…`, `social/…`. */
  readonly seen: readonly string[];
}

/** Undefined: never visited, or what is there is not ours. */
export function visitRecordOf(view: Pick<TargetView, "fields">): VisitRecord | undefined {
  const value = view.fields.find(({ field }) => field === visitField)?.value;
  if (typeof value !== "object" || value === null) return undefined;
  const { at, outcome, version, seen } = value as Partial<VisitRecord>;
  const isOne = typeof at === "string" && typeof outcome === "string" && Array.isArray(seen);
  return isOne && typeof version === "number" ? (value as VisitRecord) : undefined;
}

const dayMs = 86_400_000;
/** What went wrong is worth another look sooner. */
const troubleDays = 7;

/** Whether a visit still counts: young enough for how it ended, and made by this version. */
export function isVisitFresh(
  record: VisitRecord | undefined,
  { ttlDays, nowMs }: { readonly ttlDays: number; readonly nowMs: number },
): boolean {
  if (!record || record.version < extractorVersion) return false;
  const wasRead = record.outcome === "done" || record.outcome === "not_modified";
  const days = wasRead ? ttlDays : Math.min(ttlDays, troubleDays);
  return nowMs - Date.parse(record.at) < days * dayMs;
}
