import * as z from "zod";
import { canonicalUrl, isAsset, isSameSite, looksEndless, plainHttpOf } from "../../crawl/index.ts";
import { urlPattern } from "./glob.ts";

/** What one crawl of one site is to do: `crawls/<name>/crawl.json`. It never changes. */
export const crawlPlanSchema = z.object({
  version: z.literal(1),
  name: z.string(),
  /** Where it begins, canonical. */
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
    /** At work: time between an interruption and its resumption does not count. */
    seconds: z.number().positive(),
    /** Of bodies, as they came over the wire. */
    bytes: z.number().positive(),
  }),
  /** From one request to a host to the next; a site may ask for more. */
  delayMs: z.int().min(0),
  /** It was asked for, so it also shortens the delay that a host's gate has. */
  isDelayAsked: z.boolean(),
  withSitemaps: z.boolean(),
  /** Whom the owners of the site may write to. */
  contact: z.string(),
  /** `crawl.allowPrivateNetworks`, by the name that stored plans have. */
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

/** Where to start over http after the start over https failed for this reason; undefined: nowhere. */
export const plainHttpStart = (
  { start, isHttpsGuessed }: Pick<CrawlPlan, "start" | "isHttpsGuessed">,
  reason: string | undefined,
): string | undefined => (isHttpsGuessed === true ? plainHttpOf(start, reason) : undefined);

/** Which links of a page are pages of this crawl. */
export interface CrawlScope {
  /** The canonical URL of a link to the same site; undefined: it leads elsewhere, or is no page. */
  own(href: string, base: string): string | undefined;
  /** Whether such a page is to be fetched, at this many clicks from the start. */
  wants(url: string, depth: number): boolean;
  /** Why it is not; undefined: it is. */
  refusalOf(url: string, depth: number): ScopeRefusal | undefined;
}

/**
 * "asset": an image, a script and the like. "trap": it looks like one of endlessly many pages, such
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
