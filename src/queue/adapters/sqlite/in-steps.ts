import { afterTick } from "../../../base/tick.ts";
import type { Gate } from "../../gate.ts";
import type { LogEntry } from "../../log-entry.ts";
import { isInLane } from "../../model/read.ts";
import type { NamePage } from "../../names.ts";
import type { BrowseQuery, EndedQuery } from "../../queue-store.ts";
import type { Task, TaskState } from "../../task.ts";

/**
 * Lists that may have to pass over many rows to find a few. Each step looks at a bounded number of
 * rows in a transaction of its own, and other work runs between two steps: SQLite blocks the event
 * loop while it reads.
 */

/** Rows that one step looks at. */
const stepRows = 500;

/** `step` reads the next finished tasks, or entries of the log, of any kind, job and gate. */
export async function endedInSteps<T extends Task | LogEntry>(
  query: EndedQuery,
  step: (part: EndedQuery) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const found: T[] = [];
  const states: ReadonlySet<TaskState> = new Set(query.states);
  const isWanted = (task: T) => states.has(task.state) && isInLane(task, query);
  const hasFilter =
    states.size < 3 || [query.kind, query.job, query.gate].some((one) => one !== undefined);
  let { after } = query;
  while (found.length < query.limit) {
    const limit = hasFilter ? stepRows : Math.min(stepRows, query.limit - found.length);
    const part = await step({ ...query, ...(after && { after }), limit });
    for (const task of part) if (isWanted(task)) found.push(task);
    if (part.length < limit) break;
    after = part.at(-1)!;
    await new Promise<void>(afterTick);
  }
  return found.slice(0, query.limit);
}

/** `step` reads what matches among the next tasks; without `lastId` there are no more. */
export async function browseInSteps(
  query: BrowseQuery,
  step: (
    part: BrowseQuery,
    rows: number,
  ) => Promise<{
    readonly tasks: readonly Task[];
    readonly lastId: number | undefined;
  }>,
): Promise<readonly Task[]> {
  const found: Task[] = [];
  const { afterId: _afterId, limit: _limit, ...filter } = query;
  const hasFilter = Object.values(filter).some((one) => one !== undefined);
  const stepOf = (limit: number) => (hasFilter ? stepRows : Math.min(stepRows, limit));
  let { afterId } = query;
  while (found.length < query.limit) {
    const limit = query.limit - found.length;
    const part = await step({ ...query, afterId, limit }, stepOf(limit));
    for (const task of part.tasks) found.push(task);
    if (part.lastId === undefined) break;
    afterId = part.lastId;
    await new Promise<void>(afterTick);
  }
  return found;
}

/** `step` reads gates that have tasks among the next gates; without `last` there are no more. */
export async function gatesInSteps(
  page: NamePage,
  step: (part: NamePage) => Promise<{
    readonly gates: readonly Gate[];
    readonly last: string | undefined;
  }>,
): Promise<readonly Gate[]> {
  const found: Gate[] = [];
  let { after } = page;
  while (found.length < page.limit) {
    const part = await step({ after, limit: stepRows });
    for (const gate of part.gates) found.push(gate);
    if (part.last === undefined) break;
    after = part.last;
    await new Promise<void>(afterTick);
  }
  return found.slice(0, page.limit);
}
