import type { BrowseQuery, Queue, Task } from "../../../queue/index.ts";

/** A payload may have 256 KiB: so many at once fit in any machine. */
const pageTasks = 500;

/** Every task that matches, in order of id, page by page; what is added meanwhile may be in it. */
export async function* browseAll(
  queue: Queue,
  query: Omit<Partial<BrowseQuery>, "afterId" | "limit">,
): AsyncGenerator<Task> {
  for (let afterId = 0; ;) {
    const page = await queue.browse({ ...query, afterId, limit: pageTasks });
    yield* page;
    if (page.length < pageTasks) return;
    afterId = page.at(-1)!.id;
  }
}
