import { parseUrl } from "../base/text/parse-url.ts";
import { originOf, readSitemap } from "../crawl/index.ts";
import type { LeaseRef } from "../queue/index.ts";
import type { OpenCrawl, SiteCrawlServices } from "./crawl-services.ts";
import { tasksOf } from "./next-tasks.ts";
import { gateOf } from "./page-tasks.ts";
import type { TaskPace } from "./task-pace.ts";

export interface ReadSitemapsOptions {
  readonly services: SiteCrawlServices;
  readonly crawl: OpenCrawl;
  readonly pace: TaskPace;
  /** The home page of this task. */
  readonly url: string;
  readonly by: LeaseRef;
}

const filesMax = 50;
const levelsMax = 3;
const tasksAtOnce = 1_000;
/** For one sitemap, which may be long. */
const totalMs = 120_000;

/**
 * Adds tasks for the pages in the site's sitemaps: those that robots.txt names, else /sitemap.xml.
 * They count as one click from the start. Only sitemaps on the host of this task's gate are read,
 * and only as many as the limit of pages can use.
 */
export async function readSitemaps(options: ReadSitemapsOptions): Promise<void> {
  const { services, crawl, pace, url: home, by } = options;
  const { plan, scope } = crawl;
  const note = await services.robots.get(originOf(home));
  const named = note?.robots.sitemaps ?? [];
  const first = named.length > 0 ? named : [`${originOf(home)}/sitemap.xml`];
  const waiting = first.map((url) => ({ url, level: 1 }));
  const seen = new Set<string>();
  const pages = new Set<string>();

  while (waiting.length > 0 && seen.size < filesMax && pages.size < plan.budget.pages) {
    const { url, level } = waiting.shift()!;
    const own = parseUrl(url, home)?.href;
    if (own === undefined || seen.has(own) || gateOf(own) !== gateOf(home)) continue;
    seen.add(own);
    await pace.wait();
    const beganMs = services.clock.monotonicMs();
    const { outcome, urls, children } = await readSitemap({
      fetcher: services.fetcher,
      url: own,
      request: { ...pace.hooks, limits: { totalMs } },
      onUrl(found) {
        const page = scope.own(found, own);
        if (page !== undefined && scope.wants(page, 1)) pages.add(page);
        return pages.size < plan.budget.pages ? "more" : "enough";
      },
    });
    if (level < levelsMax) waiting.push(...children.map((child) => ({ url: child, level: level + 1 }))); // prettier-ignore
    await crawl.record({
      url: own,
      kind: "sitemap",
      state: outcome.kind === "found" ? "found" : "failed",
      ...("status" in outcome && outcome.status !== undefined && { status: outcome.status }),
      ...(outcome.kind === "failed" && { message: outcome.message }),
      depth: 0,
      ms: Math.round(services.clock.monotonicMs() - beganMs),
      bytes: outcome.kind === "found" ? outcome.bytes.wire : 0,
      urls,
    });
  }
  const found = [...pages].map((url) => ({ url, depth: 1, hops: 0, isStart: false }));
  const tasks = await tasksOf(services, crawl, found);
  for (let at = 0; at < tasks.length; at += tasksAtOnce) {
    const some = tasks.slice(at, at + tasksAtOnce);
    await services.addTasks(some, by);
    crawl.pages.stored(some);
  }
}
