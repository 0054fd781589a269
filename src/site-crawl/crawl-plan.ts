import * as z from "zod";
import { canonicalUrl, isAsset, isSameSite, looksEndless, plainHttpOf } from "../crawl/index.ts";
import { urlPattern } from "./glob.ts";

/** The plan of one crawl of one site: `crawls/<name>/crawl.json`. It never changes. */
export const crawlPlanSchema = z.object({
  version: z.literal(1),
  name: z.string(),
  /** The canonical URL where it begins. */
  start: z.string(),
  /** The user gave no scheme. If the site cannot be reached over https, it is crawled over http. */
  isHttpsGuessed: z.boolean().optional(),
  /** ISO 8601. */
  startedAt: z.iso.datetime(),
  include: z.array(z.string()),
  exclude: z.array(z.string()),
  budget: z.object({
    pages: z.int().min(1),
    depth: z.int().min(0),
    /** Running time: time between an interruption and the resumption does not count. */
    seconds: z.number().positive(),
    /** The size of response bodies, as transferred. */
    bytes: z.number().positive(),
  }),
  /** The time between the starts of two requests to one host; a site may ask for more. */
  delayMs: z.int().min(0),
  /** True if the user set the delay: it then also shortens the delay of a host's gate. */
  isDelayAsked: z.boolean(),
  withSitemaps: z.boolean(),
  /** The contact address for the owners of the site. */
  contact: z.string(),
  /** The setting `crawl.allowPrivateNetworks`, under the name that stored plans have. */
  allowAddresses: z.array(z.string()),
});
export type CrawlPlan = z.infer<typeof crawlPlanSchema>;
export type CrawlBudget = CrawlPlan["budget"];

export const crawlBudget: CrawlBudget = {
  pages: 500,
  depth: 20,
  seconds: 3_600,
  bytes: 500 * 1024 * 1024,
};

export const crawlJob = ({ name }: Pick<CrawlPlan, "name">): string => `crawl-${name}`;

/**
 * Where to start over http after the start over https failed for this reason; undefined if http
 * must not be tried.
 */
export const plainHttpStart = (
  { start, isHttpsGuessed }: Pick<CrawlPlan, "start" | "isHttpsGuessed">,
  reason: string | undefined,
): string | undefined => (isHttpsGuessed === true ? plainHttpOf(start, reason) : undefined);

/** Decides which links of a page are pages of this crawl. */
export interface CrawlScope {
  /**
   * The canonical URL of a link to the same site; undefined if it leads elsewhere, or is not a
   * page.
   */
  own(href: string, base: string): string | undefined;
  /** Whether to fetch such a page, at this number of clicks from the start. */
  wants(url: string, depth: number): boolean;
  /** Why the page is not fetched; undefined if it is. */
  refusalOf(url: string, depth: number): ScopeRefusal | undefined;
}

/**
 * "asset": an image, a script and so on. "trap": it seems to be one of endlessly many pages, such
 * as those of a calendar. "excluded": by --include or --exclude. "depth": too many clicks away.
 */
export type ScopeRefusal = "asset" | "trap" | "excluded" | "depth";

export function scopeOf(plan: CrawlPlan): CrawlScope {
  const includes = plan.include.map(urlPattern);
  const excludes = plan.exclude.map(urlPattern);
  const refusalOf = (url: string, depth: number): ScopeRefusal | undefined => {
    if (isAsset(url)) return "asset";
    if (looksEndless(url)) return "trap";
    const isIncluded = includes.length === 0 || includes.some((included) => included(url));
    if (!isIncluded || excludes.some((excluded) => excluded(url))) return "excluded";
    return depth > plan.budget.depth ? "depth" : undefined;
  };
  return {
    refusalOf,
    wants: (url, depth) => refusalOf(url, depth) === undefined,
    own(href, base) {
      const url = canonicalUrl(href, base);
      return url !== undefined && isSameSite(url, plan.start) ? url : undefined;
    },
  };
}
