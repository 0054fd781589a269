import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../base/app-error.ts";
import { packageFile } from "../../base/files/package-files.ts";
import { readVersion } from "../../base/version.ts";
import type { Clock } from "../../base/clock.ts";
import type { Paths, Settings } from "../../config/index.ts";
import { forgetRegister } from "../../ledger/index.ts";
import type { NodeReadApi } from "../../node/index.ts";
import type { SiteCampaignSource, SiteSource, SourceCompany } from "../../publish/index.ts";
import type { Queue } from "../../queue/index.ts";
import {
  ledgerSuppression,
  listedKeysOf,
  suppressionRows,
  withoutListed,
  type Company,
} from "../../records/index.ts";
import { allCompanies } from "../campaign/all-companies.ts";
import { readCampaignReport, reportMaxAgeMs } from "../campaign/campaign-report.ts";
import { readCampaignCoverage } from "../campaign/campaign-view.ts";
import { coverageRow, type CoverageValues } from "../campaign/coverage-row.ts";

import { membershipOf, openCampaignFolder, type Campaign, type Membership } from "../../campaign/index.ts"; // prettier-ignore

export interface SiteSourceOptions {
  readonly paths: Paths;
  readonly settings: Settings;
  readonly reader: Pick<NodeReadApi, "ledger" | "records">;
  /** Absent if the queue does not exist yet. */
  readonly queue?: Pick<Queue, "job" | "browse" | "now" | "ended"> | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Only companies, map and report of this campaign. Absent: everything. */
  readonly campaign?: string | undefined;
}

/** The data folder as the source of a site. */
export async function openSiteSource(options: SiteSourceOptions): Promise<SiteSource> {
  const { paths, settings, campaign: only } = options;
  const folder = openCampaignFolder(paths);
  const names = only === undefined ? await folder.list() : [only];
  const campaigns = await Promise.all(names.map((name) => folder.load(name)));
  const dashboard = packageFile("dist/dashboard");
  const left: LeftCompanies = { suppressed: [], excluded: [] };
  return {
    version: readVersion(),
    legal: settings.legal,
    campaigns: campaigns.map((campaign) => campaignSource(campaign, options)),
    companies: () => shownCompanies(options, campaigns, left),
    leftOut: () => countLeftOut(left, options),
    async dashboardFile(path) {
      return await readFile(join(dashboard, path)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return undefined;
        throw new AppError("corrupt", "dashboard_missing", `${path} of the dashboard cannot be read: install Forager again`, { cause: error }); // prettier-ignore
      });
    },
    pageFiles: await dashboardPageFiles(dashboard),
  };
}

function campaignSource(
  { name, phrases, locations }: Campaign,
  options: SiteSourceOptions,
): SiteCampaignSource {
  const { paths, settings, clock, reader, queue, signal } = options;
  const view = { name, paths, settings, clock, reader, queue, signal };
  return {
    campaign: name,
    phrases,
    locations,
    report: () => readCampaignReport({ ...view, maxAgeMs: reportMaxAgeMs }),
    async coverage() {
      const rows = new Map<string, CoverageValues[]>();
      const all = await readCampaignCoverage({ ...view, by: "tile" });
      rows.set("", all.cells.map(coverageRow));
      const { cells } = await readCampaignCoverage({ ...view, by: "phrase" });
      for (const cell of cells) {
        const phrase = (cell.phrase ?? "").toLowerCase();
        if (phrase === "") continue;
        const own = rows.get(phrase) ?? [];
        rows.set(phrase, own);
        own.push(coverageRow(cell));
      }
      return { rows, licences: all.licences };
    },
  };
}

async function* shownCompanies(
  { reader, signal, campaign: only }: SiteSourceOptions,
  campaigns: readonly Campaign[],
  left: LeftCompanies,
): AsyncGenerator<readonly SourceCompany[]> {
  left.suppressed = [];
  left.excluded = [];
  const suppressed = ledgerSuppression(reader.ledger);
  const memberships = campaigns.map((one) => [one.name, membershipOf(one)] as const);
  for await (const page of allCompanies(reader.records, { signal })) {
    const chosen: { readonly company: Company; readonly campaigns: readonly string[] }[] = [];
    for (const company of page) {
      const owners = memberships.filter(([, membership]) => membership.has(company));
      if (only !== undefined && owners.length === 0) continue;
      const accepting = owners.filter(([, membership]) => isShown(membership, company));
      const isRejected = owners.length > 0 && accepting.length === 0;
      if (company.excluded !== undefined || isRejected) left.excluded.push(company.target);
      else chosen.push({ company, campaigns: accepting.map(([name]) => name) });
    }
    const listed = await listedKeysOf(suppressed, chosen.map(({ company }) => company)); // prettier-ignore
    const shown = chosen.flatMap((one) => {
      const { company } = withoutListed(one.company, listed);
      if (!company) left.suppressed.push(one.company.target);
      return company ? [{ ...one, company }] : [];
    });
    const views = await reader.ledger.readAll(shown.map(({ company }) => company.target));
    const fieldsOf = new Map(views.map(({ target, fields }) => [target, fields]));
    yield shown.map((one) => ({ ...one, fields: fieldsOf.get(one.company.target) ?? [] }));
  }
}

const isShown = (membership: Membership, company: Company): boolean =>
  !membership.isExcluded(company) && membership.filterOf(company) === undefined;

/** The targets of the companies. */
interface LeftCompanies {
  suppressed: string[];
  excluded: string[];
}

const forgottenCompany = "target/company/";

async function countLeftOut(
  { suppressed, excluded }: LeftCompanies,
  { reader, campaign }: SiteSourceOptions,
): ReturnType<SiteSource["leftOut"]> {
  const [register] = await reader.ledger.readAll([forgetRegister]);
  const forgotten = register!.fields.flatMap(({ field }) => field.startsWith(forgottenCompany) ? [field] : []); // prettier-ignore
  const mark = createHash("sha256");
  for await (const { id, kind } of suppressionRows(reader.ledger)) mark.update(`${kind} ${id}\n`);
  for (const list of [forgotten, suppressed, excluded]) {
    mark.update(`${list.toSorted().join("\n")}\0`);
  }
  return {
    suppressed: suppressed.length,
    excluded: excluded.length,
    ...(campaign === undefined && forgotten.length > 0 && { forgotten: forgotten.length }),
    mark: mark.digest("hex").slice(0, markLength),
  };
}

const markLength = 16;

/** The files of the page. index.html is last, so that all files it refers to exist before it. */
async function dashboardPageFiles(folder: string): Promise<readonly string[]> {
  try {
    const assets = await readdir(join(folder, "assets"));
    return [...assets.toSorted().map((name) => `assets/${name}`), "licences.txt", "index.html"];
  } catch (cause) {
    const message = "the dashboard is not part of this installation: install Forager again, or run npm run build in a checkout"; // prettier-ignore
    throw new AppError("corrupt", "dashboard_missing", message, { cause });
  }
}
