import { z } from "zod";
import type { TaskInput } from "../../queue/index.ts";
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

/** Keyed by the URL: whatever leads to a page, it is there once. Near pages go first. */
export function pageTask(plan: Pick<CrawlPlan, "name">, page: PageToVisit): TaskInput {
  const payload: SitePagePayload = { crawl: plan.name, ...page };
  return {
    kind: sitePageKind,
    job: crawlJob(plan),
    gate: gateOf(page.url),
    key: page.url,
    payload,
    priority: Math.max(0, 900 - page.depth),
    attemptsMax,
  };
}

/** All that goes to one host has one gate, whoever asks. */
export const gateOf = (url: string): string => new URL(url).hostname;
