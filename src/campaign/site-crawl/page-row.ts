import * as z from "zod";

/**
 * What came of one page: a line of `crawls/<name>/pages.jsonl`. A page has several lines when it was
 * fetched again after a crash; then the last one counts.
 */
export const pageRowSchema = z.object({
  url: z.string(),
  /** "sitemap": a list of pages, counted apart. */
  kind: z.enum(["page", "sitemap"]),
  /**
   * "found": a page. "other": an answer that is no page to read, such as a PDF. "redirect": it
   * leads to `to`. "gone": a 4xx. "robots": not to be asked for. "failed": it could not be had.
   */
  state: z.enum(["found", "other", "redirect", "gone", "robots", "failed"]),
  status: z.int().optional(),
  /** Why it is not "found", for people. */
  message: z.string().optional(),
  depth: z.int(),
  /** From the request to the last byte of the answer. */
  ms: z.number(),
  bytes: z.int(),
  /** When it was over, ISO 8601. */
  at: z.string(),
  /** How long the crawl had been at work by then. */
  atWorkMs: z.number(),
  /** Why it could not be had, in one word: `dns`, `tls`, `timeout` … */
  reason: z.string().optional(),
  /** Next to nothing is on it before its scripts have run: its links and text are missing here. */
  needsScripts: z.boolean().optional(),
  title: z.string().optional(),
  type: z.string().optional(),
  to: z.string().optional(),
  /** The page whose link was seen first. */
  from: z.string().optional(),
  /** Pages of the same site that it links to, each once. */
  links: z.array(z.string()).optional(),
  /** Links that lead to other sites, each once. */
  linksAway: z.int().optional(),
  /** Pages that a sitemap names. */
  urls: z.int().optional(),
});
export type PageRow = z.infer<typeof pageRowSchema>;

/** undefined: no row, but half of one that a killed process left. */
export function parsePageRow(line: string): PageRow | undefined {
  try {
    return pageRowSchema.safeParse(JSON.parse(line)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
