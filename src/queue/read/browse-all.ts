import { AppError } from "../../base/app-error.ts";
import { afterTick } from "../../base/tick.ts";
import type { BrowseQuery, EndedCursor, EndedQuery, NamePage, Queue, Task } from "../index.ts";

type ReadPage<T> = (query: Partial<EndedQuery>) => Promise<readonly T[]>;

/** A payload may have 256 KiB, so this many tasks fit into memory on any machine. */
const pageTasks = 500;

/**
 * Matching tasks in order of id, read page by page; tasks that are added meanwhile may be included.
 * `limit`: the most tasks in all; absent: no limit.
 */
export async function* browseAll(
  queue: Queue,
  { limit = Infinity, ...query }: Partial<BrowseQuery>,
  signal?: AbortSignal,
): AsyncGenerator<Task> {
  let { afterId = 0 } = query;
  for (let left = limit; left > 0;) {
    const pageLimit = Math.min(pageTasks, left);
    const page = await queue.browse({ ...query, afterId, limit: pageLimit });
    yield* page;
    if (page.length < pageLimit) return;
    left -= page.length;
    afterId = page.at(-1)!.id;
    await pause(signal);
  }
}

export interface EndedAllQuery extends Omit<
  Partial<EndedQuery>,
  "after" | "isNewestFirst" | "limit"
> {
  /** Only the last tasks, this many. */
  readonly last: number;
  readonly signal: AbortSignal;
}

/**
 * Finished tasks or log entries in the order in which they ended. `read` is `queue.ended` or
 * `queue.log`. Holds one page at a time.
 */
export async function* endedAll<T extends EndedCursor>(
  read: ReadPage<T>,
  query: EndedAllQuery,
): AsyncGenerator<T> {
  const { last, signal, ...rest } = query;
  let after: EndedCursor | undefined =
    last === Infinity ? undefined : await beforeLast(read, query);
  for (let left = last; left > 0;) {
    const limit = Math.min(pageTasks, left);
    const page = await read({ ...rest, ...(after && { after }), limit });
    yield* page;
    if (page.length < limit) return;
    left -= page.length;
    after = cursorOf(page.at(-1)!);
    await pause(signal);
  }
}

/** The task before the last `count` tasks; undefined if there are not more than that. */
async function beforeLast(
  read: ReadPage<EndedCursor>,
  query: EndedAllQuery,
): Promise<EndedCursor | undefined> {
  const { last, signal, ...rest } = query;
  let after: EndedCursor | undefined;
  for (let left = last + 1; left > 0;) {
    const limit = Math.min(pageTasks, left);
    const more = { ...(after && { after }), isNewestFirst: true, limit };
    const page = await read({ ...rest, ...more });
    if (page.length < limit) return undefined;
    left -= page.length;
    after = cursorOf(page.at(-1)!);
    await pause(signal);
  }
  return after;
}

/** Jobs or gates, read page by page. */
export async function* byName<Row extends { readonly name: string }>(
  read: (page: NamePage) => Promise<readonly Row[]>,
  signal: AbortSignal,
): AsyncGenerator<Row> {
  for (let after = ""; ;) {
    const page = await read({ after, limit: pageTasks });
    yield* page;
    if (page.length < pageTasks) return;
    after = page.at(-1)!.name;
    await pause(signal);
  }
}
const cursorOf = ({ finishedAtMs, id }: EndedCursor): EndedCursor => ({ finishedAtMs, id });

/**
 * Lets the event loop turn, so that signals and a closed output are noticed: a local queue answers
 * without waiting.
 */
async function pause(signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>(afterTick);
  if (signal?.aborted) throw new AppError("aborted", "list_stopped", "the list was stopped");
}
