import { isAllowedByRobots, originOf } from "../../crawl/index.ts";
import type { TaskInput } from "../../queue/index.ts";
import type { OpenCrawl, SiteCrawlServices } from "./crawl-services.ts";
import { pageTask, type PageToVisit } from "./page-tasks.ts";

/**
 * What is known to be forbidden is told at once: a task of its own would only wait for its turn at the
 * gate, and use up the budget. Hosts get their pace before their first task.
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
    else tasks.push(pageTask(crawl.plan, page));
  }
  for (const gate of new Set(tasks.map((task) => task.gate ?? ""))) await crawl.prepareGate(gate);
  return tasks;
}
