import { csvLine } from "../../records/index.ts";
import type { PageRow } from "./page-row.ts";

/** A page as it is told: its row, and how many pages of the crawl link to it. */
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
}

/** In the order of their URLs, so that two crawls can be compared line by line. */
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
  };
}

export const crawlCsvHeader = (): string =>
  csvLine("url state status depth ms bytes links_in links_out links_away title type redirect_to found_on at message".split(" ")); // prettier-ignore

/** What a page calls itself is a stranger's text: it must not become a formula. */
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
  ]);
