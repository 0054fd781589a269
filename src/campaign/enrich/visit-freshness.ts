import { isVisitRead, type VisitRecord } from "../../records/index.ts";

/** Raised when a page would say more than it did: sites are then visited again. */
export const extractorVersion = 1;

const dayMs = 86_400_000;
/** What went wrong is worth another look sooner. */
const troubleDays = 7;

/** Whether a visit still counts: young enough for how it ended, and made by this version. */
export function isVisitFresh(
  record: VisitRecord | undefined,
  { ttlDays, nowMs }: { readonly ttlDays: number; readonly nowMs: number },
): boolean {
  if (!record || record.version < extractorVersion) return false;
  const days = isVisitRead(record) ? ttlDays : Math.min(ttlDays, troubleDays);
  return nowMs - Date.parse(record.at) < days * dayMs;
}
