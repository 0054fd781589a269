import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { readRegularFile } from "../../base/files/regular-file.ts";
import {
  budgetStanding,
  buildCampaignReport,
  campaignReportSchema,
  readEstimate,
} from "../../campaign/index.ts";
import type { CampaignReport } from "../../campaign/index.ts";
import { readUsage } from "../bucket/usage-record.ts";
import { allCompanies } from "./all-companies.ts";
import { createBudgetSources } from "./budget-sources.ts";
import { readCampaignView, type CampaignViewOptions } from "./campaign-view.ts";

/** How old a report may be for those who only look: a program that polls costs nothing. */
export const reportMaxAgeMs = 15 * 60_000;

export interface CampaignReportOptions extends CampaignViewOptions {
  /** A report that is not older than this is good enough. 0: compute it now. */
  readonly maxAgeMs: number;
  /** False: nothing is written, for a command that only looks. */
  readonly isKept?: boolean;
  /** Companies that were looked at, while it is computed. */
  readonly onCompanies?: (count: number) => void;
}

/**
 * The report of a campaign. It is kept as `campaigns/<name>/report.json`, so that it is there
 * without being computed again.
 */
export async function readCampaignReport(options: CampaignReportOptions): Promise<CampaignReport> {
  const { name, paths, clock, maxAgeMs, isKept = true } = options;
  const file = paths.resolve("campaigns", name, "report.json");
  const kept = maxAgeMs > 0 ? await readKept(file) : undefined;
  const ageMs = kept ? clock.nowMs() - Date.parse(kept.at) : Infinity;
  if (kept && ageMs >= 0 && ageMs <= maxAgeMs) return kept;
  // Keys in the order of the schema: a report that was computed and one that was kept are the same text.
  const report = campaignReportSchema.parse(await computeReport(options));
  // A folder that may only be read has its report too; it is not kept then.
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
        budgetStanding(view.campaign, {
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

/** What is damaged or of another version is computed again. */
async function readKept(file: string): Promise<CampaignReport | undefined> {
  try {
    const parsed = campaignReportSchema.safeParse(JSON.parse(String(await readRegularFile(file))));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined; // usually there is none yet
  }
}
