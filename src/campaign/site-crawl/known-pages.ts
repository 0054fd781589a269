import type { RaiseInput, TaskInput } from "../../queue/index.ts";
import type { CrawlPlan } from "./crawl-plan.ts";
import { pageRaise, type PageToVisit, type SitePagePayload } from "./page-tasks.ts";

/** The pages of a crawl whose tasks are known to be stored. It may forget pages at any time. */
export interface KnownPages {
  /**
   * Counts a link to this page. True: its task is stored, and its priority follows the link. False:
   * it is not known, so add its task.
   */
  link(page: PageToVisit): Promise<boolean>;
  /** These tasks of pages were stored. */
  stored(tasks: readonly TaskInput[]): void;
  /** The page is being visited: its priority is of no use any more. */
  visiting(url: string): void;
}

export interface KnownPagesOptions {
  readonly plan: Pick<CrawlPlan, "name">;
  readonly raise: (input: RaiseInput) => Promise<void>;
}

const pagesMax = 100_000;

export function createKnownPages({ plan, raise }: KnownPagesOptions): KnownPages {
  const pages = new Map<string, Known>(); // the oldest go first
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

/** The fewest clicks to a page, and how many links to it were seen. */
type Known = { readonly depth: number; readonly links: number } | "visited";
