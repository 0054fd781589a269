import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { readRegularFile } from "../../base/files/regular-file.ts";
import {
  budgetStatus,
  buildCampaignReport,
  campaignReportSchema,
  readEstimate,
} from "../../campaign/index.ts";
import type { CampaignReport } from "../../campaign/index.ts";
import { readUsage } from "../bucket/usage-record.ts";
import { allCompanies } from "./all-companies.ts";
import { createBudgetSources } from "./budget-sources.ts";
import { readCampaignView, type CampaignViewOptions } from "./campaign-view.ts";

/** Commands that only display a report accept one of this age, so polling costs nothing. */
export const reportMaxAgeMs = 15 * 60_000;

export interface CampaignReportOptions extends CampaignViewOptions {
  /** A stored report that is not older than this is returned. 0: compute it now. */
  readonly maxAgeMs: number;
  /** False: the report is not stored, for a command that must not write. */
  readonly isKept?: boolean;
  /** Called during the computation with the number of companies read. */
  readonly onCompanies?: (count: number) => void;
}

/**
 * The report of a campaign. It is stored as `campaigns/<name>/report.json`, so that it can be shown
 * without computing it again.
 */
export async function readCampaignReport(options: CampaignReportOptions): Promise<CampaignReport> {
  const { name, paths, clock, maxAgeMs, isKept = true } = options;
  const file = paths.resolve("campaigns", name, "report.json");
  const kept = maxAgeMs > 0 ? await readKept(file) : undefined;
  const ageMs = kept ? clock.nowMs() - Date.parse(kept.at) : Infinity;
  if (kept && ageMs >= 0 && ageMs <= maxAgeMs) return kept;
  // Puts keys into the order of the schema, so that a computed and a stored report are the same
  // text.
  const report = campaignReportSchema.parse(await computeReport(options));
  // In a read-only folder the report is not stored.
  if (isKept) await writeFileAtomic(file, `${JSON.stringify(report, null, 2)}\n`).catch(() => {});
  return report;
}

async function computeReport(options: CampaignReportOptions): Promise<CampaignReport> {
  const { paths, clock, reader, queue, settings, signal, onCompanies } = options;
  const queueUrl = settings.queue.url;
  const view = await readCampaignView(options);
  return await buildCampaignReport({
    ...view,
    estimate: await readEstimate(paths, options.name),
    companies: allCompanies(reader.records, { signal, onCompanies }),
    ...(queue && {
      budget: (companies) =>
        budgetStatus(view.campaign, {
          ...createBudgetSources({ ...options, ...reader, queue, queueUrl }),
          companies: async () => companies,
        }),
    }),
    async bucket(sinceDay) {
      const rows = await readUsage(sinceDay, { paths, clock, log: silentLogger });
      if (rows.length === 0) return undefined;
      return {
        requests: rows.reduce((sum, { requests }) => sum + requests, 0),
        dollars: rows.reduce((sum, { dollars }) => sum + dollars, 0),
      };
    },
  });
}

/** Undefined if the file is damaged or of another version; the report is computed again then. */
async function readKept(file: string): Promise<CampaignReport | undefined> {
  try {
    const parsed = campaignReportSchema.safeParse(JSON.parse(String(await readRegularFile(file))));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined; // usually there is no report yet
  }
}
