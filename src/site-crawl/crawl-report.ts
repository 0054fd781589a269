import { csvLine } from "../records/index.ts";
import { scopeOf, type CrawlPlan } from "./crawl-plan.ts";
import type { PageRow } from "./page-row.ts";

/** A page in the report: its row, and how many pages of the crawl link to it. */
export interface CrawledPage extends PageRow {
  readonly linksIn: number;
  readonly linksOut: number;
}

export interface CrawlSummary {
  readonly pages: number;
  readonly found: number;
  readonly redirects: number;
  readonly gone: number;
  readonly robots: number;
  readonly other: number;
  readonly failed: number;
  readonly bytes: number;
  readonly sitemaps: number;
  /** Pages that are almost empty before their scripts have run. */
  readonly needScripts: number;
}

/** How many linked pages of the site were not fetched, by reason. Each page counts once. */
export interface CrawlCuts {
  /** More clicks from the start than --depth allows. */
  readonly depth: number;
  /** They seem to be endlessly many, such as the days of a calendar. */
  readonly traps: number;
  /** The limit of pages, seconds or bytes was reached. */
  readonly budget: number;
}

/** Sorted by URL, so that two crawls can be compared line by line. */
export function crawledPages(rows: readonly PageRow[]): readonly CrawledPage[] {
  const counts = new Map<string, number>();
  for (const { links = [] } of rows) {
    for (const url of links) counts.set(url, (counts.get(url) ?? 0) + 1);
  }
  return rows
    .filter(({ kind }) => kind === "page")
    .map((row) => ({
      ...row,
      linksIn: counts.get(row.url) ?? 0,
      linksOut: row.links?.length ?? 0,
    }))
    .sort((a, b) => (a.url < b.url ? -1 : 1));
}

export function crawlSummary(rows: readonly PageRow[]): CrawlSummary {
  const pages = rows.filter(({ kind }) => kind === "page");
  const count = (state: PageRow["state"]) => pages.filter((row) => row.state === state).length;
  return {
    pages: pages.length,
    found: count("found"),
    redirects: count("redirect"),
    gone: count("gone"),
    robots: count("robots"),
    other: count("other"),
    failed: count("failed"),
    bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
    sitemaps: rows.length - pages.length,
    needScripts: pages.filter((row) => row.needsScripts).length,
  };
}

/** Where a crawl began: over http, if the site could not be reached over https. */
export function crawlStart({ start }: Pick<CrawlPlan, "start">, rows: readonly PageRow[]): string {
  const plain = start.replace(/^https:/, "http:");
  const isAsked = (url: string) => rows.some((row) => row.url === url && row.depth === 0);
  return !isAsked(start) && isAsked(plain) ? plain : start;
}

/** Counts what depth, traps and limits cut off. `isCut`: the crawl ended at a limit. */
export function crawlCuts(
  plan: CrawlPlan,
  rows: readonly PageRow[],
  { isCut }: { readonly isCut: boolean },
): CrawlCuts {
  const asked = new Set(rows.map(({ url }) => url));
  const depths = new Map<string, number>();
  for (const { depth, links = [] } of rows) {
    for (const url of links) {
      if (!asked.has(url)) depths.set(url, Math.min(depths.get(url) ?? Infinity, depth + 1));
    }
  }
  const scope = scopeOf(plan);
  const cuts = { depth: 0, traps: 0, budget: 0 };
  for (const [url, depth] of depths) {
    const refusal = scope.refusalOf(url, depth);
    if (refusal === "depth") cuts.depth += 1;
    else if (refusal === "trap") cuts.traps += 1;
    // If no limit was reached, the page was left out because its link or page says nofollow.
    else if (refusal === undefined && isCut) cuts.budget += 1;
  }
  return cuts;
}

export const crawlCsvHeader = (): string =>
  csvLine("url state status depth ms bytes links_in links_out links_away title type redirect_to found_on at message reason needs_scripts".split(" ")); // prettier-ignore

/** The title of a page is untrusted text: it must not become a formula. */
export const crawlCsvLine = (page: CrawledPage): string =>
  csvLine([
    page.url,
    page.state,
    page.status,
    page.depth,
    page.ms,
    page.bytes,
    page.linksIn,
    page.linksOut,
    page.linksAway ?? 0,
    page.title,
    page.type,
    page.to,
    page.from,
    page.at,
    page.message,
    page.reason,
    page.needsScripts === true ? "yes" : "",
  ]);
