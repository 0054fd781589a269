import { pageWorths, type PageWorth } from "./page-worth.ts";

/** A link as it stood in a page. Hidden ones are not handed on by whoever reads pages. */
export interface Link {
  readonly url: string;
  readonly where: LinkPlace;
  readonly text?: string;
}

export type LinkPlace = "header" | "footer" | "body";

export const homePriority = 1;
export const sitemapPriority = 0.1;

/** How promising a link is, from 0 to 1: what is in every page's frame, then what is near the home. */
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

/** The queue's whole thousandths. Pages of worth come first, among themselves by what they are. */
export function taskPriority(priority: number, worth: PageWorth | undefined): number {
  if (worth) return 1_000 - pageWorths.indexOf(worth);
  return Math.max(0, Math.min(990, Math.round(priority * 990)));
}
