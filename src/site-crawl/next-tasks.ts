import { isAllowedByRobots, originOf } from "../crawl/index.ts";
import type { TaskInput } from "../queue/index.ts";
import type { OpenCrawl, SiteCrawlServices } from "./crawl-services.ts";
import { pageTask, type PageToVisit } from "./page-tasks.ts";

/**
 * The tasks of linked pages that are not stored yet. A link to a page that is stored raises its
 * priority instead. A forbidden page is recorded at once: its task would only wait for the gate and
 * count against the limit of pages. The delay of a host's gate is set before its first task.
 */
export async function tasksOf(
  { robots }: SiteCrawlServices,
  crawl: OpenCrawl,
  pages: readonly PageToVisit[],
): Promise<readonly TaskInput[]> {
  const tasks: TaskInput[] = [];
  for (const page of pages) {
    const note = await robots.get(originOf(page.url));
    if (note && !isAllowedByRobots(note.robots, page.url)) await crawl.recordForbidden(page);
    else if (!(await crawl.pages.link(page))) tasks.push(pageTask(crawl.plan, page));
  }
  for (const gate of new Set(tasks.map((task) => task.gate ?? ""))) await crawl.prepareGate(gate);
  return tasks;
}
