import type { Company } from "../../records/index.ts";
import type { CampaignReport } from "./report-schema.ts";

const dayMs = 86_400_000;

/** Counts companies by the age of their last visit. */
export function createVisitAges(nowMs: number) {
  const counts = { days7: 0, days30: 0, days90: 0, older: 0, never: 0 };
  return {
    add({ visit }: Pick<Company, "visit">) {
      const days = visit ? (nowMs - Date.parse(visit.at)) / dayMs : Infinity;
      if (!visit) counts.never += 1;
      else if (days <= 7) counts.days7 += 1;
      else if (days <= 30) counts.days30 += 1;
      else if (days <= 90) counts.days90 += 1;
      else counts.older += 1;
    },
    result: (): CampaignReport["freshness"]["visits"] => counts,
  };
}
