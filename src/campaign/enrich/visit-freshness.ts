import { isVisitRead, type VisitRecord } from "../../records/index.ts";

/** Increased when the extractor finds more on the same pages: sites are then visited again. */
export const extractorVersion = 1;

const dayMs = 86_400_000;
/** A visit that failed is repeated sooner. */
const troubleDays = 7;

/**
 * Whether a visit is still valid: recent enough for its outcome, and made with this version of the
 * extractor.
 */
export function isVisitFresh(
  record: VisitRecord | undefined,
  { ttlDays, nowMs }: { readonly ttlDays: number; readonly nowMs: number },
): boolean {
  if (!record || record.version < extractorVersion) return false;
  const days = isVisitRead(record) ? ttlDays : Math.min(ttlDays, troubleDays);
  return nowMs - Date.parse(record.at) < days * dayMs;
}
