import { pageWorths, type PageWorth } from "./page-worth.ts";

/** A visible link in a page. The page reader omits hidden ones. */
export interface Link {
  readonly url: string;
  readonly where: LinkPlace;
  readonly text?: string;
}

export type LinkPlace = "header" | "footer" | "body";

export const homePriority = 1;
export const sitemapPriority = 0.1;

/**
 * How promising a link is, from 0 to 1: links in the header and footer first, then links close to
 * the home page.
 */
export function priorityOf({ where }: Pick<Link, "where">, parentPriority: number): number {
  switch (where) {
    case "header":
      return 1;
    case "footer":
      return 0.99;
    case "body":
      return parentPriority * 0.9;
  }
}

/**
 * The queue's priority in thousandths. Pages of a known worth come first, ordered by that worth.
 */
export function taskPriority(priority: number, worth: PageWorth | undefined): number {
  if (worth) return 1_000 - pageWorths.indexOf(worth);
  return Math.max(0, Math.min(990, Math.round(priority * 990)));
}
