import * as z from "zod";
import type { RaiseInput, TaskInput } from "../queue/index.ts";
import { crawlJob, type CrawlPlan } from "./crawl-plan.ts";

/** One page of a site crawl. */
export const sitePageKind = "site-page";

export const sitePageSchema = z.object({
  /** The name of the crawl. */
  crawl: z.string(),
  url: z.string(),
  /** Clicks from the start. */
  depth: z.int().min(0),
  /** The number of consecutive redirects that led here. */
  hops: z.int().min(0),
  /** True for the start, or where it redirects to: sitemaps are looked for there. */
  isStart: z.boolean(),
  from: z.string().optional(),
});
export type SitePagePayload = z.infer<typeof sitePageSchema>;

const attemptsMax = 3;

export type PageToVisit = Omit<SitePagePayload, "crawl">;

/** The key is the URL, so that a page has one task, however many links lead to it. */
export function pageTask(plan: Pick<CrawlPlan, "name">, page: PageToVisit): TaskInput {
  const payload: SitePagePayload = { crawl: plan.name, ...page };
  return {
    kind: sitePageKind,
    payload,
    attemptsMax,
    ...pageRaise(plan, page, 1),
  };
}

/** Raises the priority of a page's task to match the number of known links. */
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
/** Below 800, so that the queue may delay and combine these raises, see its debouncer. */
const firstLinkPriority = 790;

/** Pages with fewer clicks from the start go first; among equals, those with more links. */
const linkPriority = (depth: number, links: number): number =>
  Math.max(0, firstLinkPriority - 10 * depth) + Math.min(linksCounted, links) - 1;

/** More links do not raise the priority further. */
const linksCounted = 10;

/** All requests to one host use one gate. */
export const gateOf = (url: string): string => new URL(url).hostname;
