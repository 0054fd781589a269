import * as z from "zod";

/**
 * The result of one page: a line of `crawls/<name>/pages.jsonl`. If a page was fetched again after
 * a crash, it has several lines, and the last one counts.
 */
export const pageRowSchema = z.object({
  url: z.string(),
  /** "sitemap": a list of pages, counted separately. */
  kind: z.enum(["page", "sitemap"]),
  /**
   * "found": a page. "other": a response that is not a readable page, such as a PDF. "redirect": it
   * leads to `to`. "gone": a 4xx. "robots": forbidden by robots.txt. "failed": it could not be
   * fetched.
   */
  state: z.enum(["found", "other", "redirect", "gone", "robots", "failed"]),
  status: z.int().optional(),
  /** Why it is not "found", for people. */
  message: z.string().optional(),
  depth: z.int(),
  /** From the request to the last byte of the response. */
  ms: z.number(),
  bytes: z.int(),
  /** When the response was complete, ISO 8601. */
  at: z.string(),
  /** The running time of the crawl at that moment. */
  atWorkMs: z.number(),
  /** Why it could not be fetched, in one word: `dns`, `tls`, `timeout` … */
  reason: z.string().optional(),
  /**
   * True if the page is almost empty before its scripts have run: links and text are missing here.
   */
  needsScripts: z.boolean().optional(),
  title: z.string().optional(),
  type: z.string().optional(),
  to: z.string().optional(),
  /** The page on which the first link to it was seen. */
  from: z.string().optional(),
  /** Pages of the same site that it links to, without duplicates. */
  links: z.array(z.string()).optional(),
  /** The number of different links to other sites. */
  linksAway: z.int().optional(),
  /** The number of pages that a sitemap lists. */
  urls: z.int().optional(),
});
export type PageRow = z.infer<typeof pageRowSchema>;

/** Undefined if the line is not a row, for instance half a line that a killed process left. */
export function parsePageRow(line: string): PageRow | undefined {
  try {
    return pageRowSchema.safeParse(JSON.parse(line)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
