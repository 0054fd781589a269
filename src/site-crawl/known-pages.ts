import type { RaiseInput, TaskInput } from "../queue/index.ts";
import type { CrawlPlan } from "./crawl-plan.ts";
import { pageRaise, type PageToVisit, type SitePagePayload } from "./page-tasks.ts";

/** Remembers the pages of a crawl whose tasks are stored. It may forget pages at any time. */
export interface KnownPages {
  /**
   * Counts a link to this page. Returns true if its task is stored; its priority is then updated.
   * Returns false if this is not known: the caller must add its task.
   */
  link(page: PageToVisit): Promise<boolean>;
  /** Call it when these tasks of pages were stored. */
  stored(tasks: readonly TaskInput[]): void;
  /** Call it when the visit of a page starts: its priority is no longer needed. */
  visiting(url: string): void;
}

export interface KnownPagesOptions {
  readonly plan: Pick<CrawlPlan, "name">;
  readonly raise: (input: RaiseInput) => Promise<void>;
}

const pagesMax = 100_000;

export function createKnownPages({ plan, raise }: KnownPagesOptions): KnownPages {
  const pages = new Map<string, Known>(); // the oldest entries are dropped first
  const keep = (url: string, known: Known) => {
    pages.set(url, known);
    if (pages.size > pagesMax) pages.delete(pages.keys().next().value!);
  };
  return {
    async link({ url, depth, isStart }) {
      const before = pages.get(url);
      if (!before || before === "visited") return before === "visited";
      const known = { depth: Math.min(before.depth, depth), links: before.links + 1 };
      keep(url, known);
      await raise(pageRaise(plan, { url, depth: known.depth, isStart }, known.links));
      return true;
    },
    stored(tasks) {
      for (const { payload } of tasks) {
        const { url, depth } = payload as SitePagePayload;
        if (!pages.has(url)) keep(url, { depth, links: 1 });
      }
    },
    visiting: (url) => keep(url, "visited"),
  };
}

/** The smallest number of clicks to a page, and how many links to it were seen. */
type Known = { readonly depth: number; readonly links: number } | "visited";
