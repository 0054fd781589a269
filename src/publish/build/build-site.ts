import type { FieldView } from "../../ledger/index.ts";
import { legalLines, placesOf, type Company, type LegalNotice } from "../../records/index.ts";
import type { CampaignReport } from "../../campaign/index.ts";
import { attributionsOf } from "../../sources/index.ts";
import type { LeftOut, SiteBody, SiteLicence, SiteMode } from "../site-format.ts";
import { createCompanyParts, type AddPart } from "./company-parts.ts";
import { createDownloads } from "./download-parts.ts";
import { personalValues, redactCompany, siteCompanyOf, type PersonalValue } from "./redact.ts";
import { sitePage } from "./site-page.ts";

/** The source of a site's data. */
export interface SiteSource {
  readonly version: string;
  readonly legal: LegalNotice;
  readonly campaigns: readonly SiteCampaignSource[];
  /**
   * Companies that may be published, in batches. Suppressed, forgotten and excluded ones are not
   * among them.
   */
  companies(): AsyncIterable<readonly SourceCompany[]>;
  /** How many were left out. Call it after all companies were read. */
  leftOut(): Promise<Omit<LeftOut, "values">>;
  /**
   * A file of the built dashboard, such as `basemap/world.json`. Undefined if it does not exist.
   */
  dashboardFile(path: string): Promise<Uint8Array | undefined>;
  /** Files that every site has: `index.html`, `assets/…`. */
  readonly pageFiles: readonly string[];
}

export interface SourceCompany {
  readonly company: Company;
  readonly fields: readonly FieldView[];
  /** The names of this site's campaigns that the company belongs to. */
  readonly campaigns: readonly string[];
}

export interface SiteCampaignSource extends Pick<
  SiteBody["campaigns"][number],
  "campaign" | "phrases" | "locations"
> {
  report(): Promise<CampaignReport>;
  /** Rows as the API returns them, by phrase in lower case; "" is for all phrases. */
  coverage(): Promise<{
    readonly rows: ReadonlyMap<string, readonly (readonly (number | null)[])[]>;
    readonly licences: readonly SiteLicence[];
  }>;
}

export interface BuildOptions {
  readonly mode: SiteMode;
  /** The personal values that a public site includes nevertheless. */
  readonly shown: readonly PersonalValue[];
  readonly signal: AbortSignal;
  readonly onCompanies?: (count: number) => void;
  readonly addPart: AddPart;
  /** Stores a file of the page and returns the hash of its content. */
  readonly addFile: (path: string, bytes: Uint8Array) => Promise<string>;
}

/**
 * The files for one campaign are as large as its companies. A site with more campaigns only has the
 * files for all companies.
 */
const downloadCampaignsMax = 20;

/** Writes all parts of a site. The result names them. */
export async function buildSite(source: SiteSource, options: BuildOptions): Promise<SiteBody> {
  const { mode, shown, addPart, signal } = options;
  const kept = new Set(mode === "public" ? shown : personalValues);
  const companies = createCompanyParts();
  const names = source.campaigns.map(({ campaign }) => campaign);
  const all = createDownloads(addPart);
  const downloads = new Map(
    names.length > 1 && names.length <= downloadCampaignsMax
      ? names.map((name) => [name, createDownloads(addPart)])
      : [],
  );
  const sources = new Set<string>();
  for await (const batch of source.companies()) {
    signal.throwIfAborted();
    for (const { company, fields, campaigns } of batch) {
      const redacted = redactCompany(company, kept);
      companies.add(redacted, siteCompanyOf(redacted, fields));
      for (const place of placesOf(redacted)) sources.add(place.slice(0, place.indexOf("/") + 1));
      await all.row(redacted);
      for (const name of campaigns) await downloads.get(name)?.row(redacted);
    }
    options.onCompanies?.(batch.length);
  }
  const licences = attributionsOf([...sources]);
  const files = await all.end(licences, source.legal);
  const written = await companies.write(addPart);
  const slugs = companies.slugs();
  const parts: Record<string, string> = { ...written.parts };
  const campaigns: SiteBody["campaigns"][number][] = [];
  const cells = new Set<string>();
  for (const [latitude, longitude] of companies.points()) addCells(cells, latitude, longitude);
  for (const one of source.campaigns) {
    signal.throwIfAborted();
    const { campaign, phrases, locations } = one;
    const report = shownReport(await one.report(), slugs, mode);
    parts[`report/${campaign}`] = await addPart(JSON.stringify(report), identityOf(report));
    parts[`status/${campaign}`] = await addPart(JSON.stringify(statusOf(report)));
    const coverage = await one.coverage();
    for (const [phrase, rows] of coverage.rows) {
      const key = `coverage/${campaign}${phrase === "" ? "" : `/${phrase}`}`;
      parts[key] = await addPart(JSON.stringify({ rows, licences: coverage.licences }));
      for (const [lat10, lon10] of rows) addCells(cells, (lat10 ?? 0) / 10, (lon10 ?? 0) / 10);
    }
    const own = await downloads.get(campaign)?.end(licences, source.legal);
    campaigns.push({ campaign, phrases, locations, downloads: own ?? files });
  }
  Object.assign(parts, await writeBaseMap(source, cells, addPart));
  return {
    mode,
    version: source.version,
    companies: written.companies,
    leftOut: {
      ...(await source.leftOut()),
      values: personalValues.filter((value) => !kept.has(value)),
    },
    campaigns,
    downloads: files,
    licences,
    legal: legalLines(source.legal),
    pages: written.pages,
    words: written.words,
    common: written.common,
    parts,
    files: await writePageFiles(source, options),
  };
}

/**
 * Leaves out companies that are not in the site, and costs, which only the operator of the fleet
 * sees.
 */
function shownReport(
  report: CampaignReport,
  slugs: ReadonlySet<string>,
  mode: SiteMode,
): CampaignReport {
  const { budget: _budget, estimate: _estimate, tasks: _tasks, ...rest } = report;
  const { leads } = report.cost;
  return {
    ...rest,
    withoutEmail: {
      ...report.withoutEmail,
      reasons: report.withoutEmail.reasons.map((reason) => ({
        ...reason,
        examples: reason.examples.filter((slug) => slugs.has(slug)),
      })),
    },
    ...(mode === "public" && {
      cost: { leads, websiteRequests: 0, websiteBytes: 0, hours: 0 },
      alarms: [],
    }),
  };
}

/**
 * Leaves out what changes even if the data does not: the time, and the cost of publishing itself.
 */
function identityOf({ at: _at, cost, ...counted }: CampaignReport): string {
  const { bucketRequests: _requests, bucketDollars: _dollars, bucketDollarsPerLead: _perLead, ...work } = cost; // prettier-ignore
  return `report ${JSON.stringify({ ...counted, cost: work })}`;
}

/** The part of a report that a list of campaigns needs. */
const statusOf = ({ campaign, tiles, targets, funnel, freshness }: CampaignReport) => ({
  campaign,
  tiles: tiles.planned,
  targets: targets.planned,
  fresh: targets.fresh,
  empty: targets.empty,
  expired: targets.expired,
  never: targets.never,
  leftOut: targets.leftOut,
  found: funnel.places,
  nextDueAt: freshness.nextDueAt ?? null,
  tasks: { pending: 0, running: 0, done: 0, skipped: 0, failed: 0 },
});

const cellDegrees = 10;

/** Adds the cell of the base map at a point, and the cells around it. */
function addCells(cells: Set<string>, latitude: number, longitude: number): void {
  const edge = (degrees: number) => Math.floor(degrees / cellDegrees) * cellDegrees;
  for (const x of [-1, 0, 1]) {
    for (const y of [-1, 0, 1]) {
      cells.add(`${edge(longitude) + x * cellDegrees}_${edge(latitude) + y * cellDegrees}`);
    }
  }
}

async function writeBaseMap(source: SiteSource, cells: ReadonlySet<string>, addPart: AddPart) {
  const parts: Record<string, string> = {};
  const text = async (path: string) => {
    const bytes = await source.dashboardFile(path);
    return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
  };
  const world = await text("basemap/world.json");
  if (world === undefined) return parts;
  const outlines = JSON.parse(world) as { readonly cells: readonly string[] };
  const known = outlines.cells.filter((cell) => cells.has(cell));
  parts["basemap/world"] = await addPart(JSON.stringify({ ...outlines, cells: known }));
  for (const cell of known) {
    const found = await text(`basemap/${cell}.json`);
    if (found !== undefined) parts[`basemap/${cell}`] = await addPart(found);
  }
  return parts;
}

async function writePageFiles(source: SiteSource, { addFile }: BuildOptions) {
  const files: Record<string, string> = {};
  for (const path of source.pageFiles) {
    const bytes = await source.dashboardFile(path);
    if (bytes === undefined) continue;
    const isPage = path === "index.html";
    const content = isPage ? Buffer.from(sitePage(new TextDecoder().decode(bytes))) : bytes;
    files[path] = await addFile(path, content);
  }
  return files;
}
