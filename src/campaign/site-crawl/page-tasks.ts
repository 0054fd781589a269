import * as z from "zod";
import type { RaiseInput, TaskInput } from "../../queue/index.ts";
import { crawlJob, type CrawlPlan } from "./crawl-plan.ts";

/** One page of a site that is crawled whole. */
export const sitePageKind = "site-page";

export const sitePageSchema = z.object({
  /** Name of the crawl. */
  crawl: z.string(),
  url: z.string(),
  /** Clicks from the start. */
  depth: z.int().min(0),
  /** Redirects that led here, in a row. */
  hops: z.int().min(0),
  /** The start, or where it moved: sitemaps are looked for there. */
  isStart: z.boolean(),
  from: z.string().optional(),
});
export type SitePagePayload = z.infer<typeof sitePageSchema>;

const attemptsMax = 3;

export type PageToVisit = Omit<SitePagePayload, "crawl">;

/** Keyed by the URL: whatever leads to a page, it is there once. */
export function pageTask(plan: Pick<CrawlPlan, "name">, page: PageToVisit): TaskInput {
  const payload: SitePagePayload = { crawl: plan.name, ...page };
  return {
    kind: sitePageKind,
    payload,
    attemptsMax,
    ...pageRaise(plan, page, 1),
  };
}

/** The task of a page with the priority that it should have when so many links to it are known. */
export const pageRaise = (
  plan: Pick<CrawlPlan, "name">,
  page: Pick<PageToVisit, "url" | "depth" | "isStart">,
  links: number,
): RaiseInput => ({
  job: crawlJob(plan),
  gate: gateOf(page.url),
  key: page.url,
  priority: page.isStart ? startPriority : linkPriority(page.depth, links),
});

const startPriority = 900;
/** Below 800, so that raises wait for others, see the queue's debouncer. */
const firstLinkPriority = 790;

/** Near pages go first; of equally near ones, those with more links. */
const linkPriority = (depth: number, links: number): number =>
  Math.max(0, firstLinkPriority - 10 * depth) + Math.min(linksCounted, links) - 1;

/** More links to a page make no difference. */
const linksCounted = 10;

/** All that goes to one host has one gate, whoever asks. */
export const gateOf = (url: string): string => new URL(url).hostname;
