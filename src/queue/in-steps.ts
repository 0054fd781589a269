import { afterTick } from "../base/tick.ts";
import type { Gate } from "./gate.ts";
import type { NamePage } from "./names.ts";
import type { BrowseQuery, EndedCursor, EndedQuery } from "./queue-store.ts";
import type { Task } from "./task.ts";

/**
 * Reads lists whose filter may skip many rows for each match. Each step reads a bounded number of
 * rows in its own transaction, and other work runs between steps. So no statement reads a whole
 * table or delays others for long.
 */

/** The matches of one step, and the last row that it read; undefined: there are no more rows. */
export interface FoundInStep<T, Cursor> {
  readonly found: readonly T[];
  readonly last: Cursor | undefined;
}

/** `step` returns the matches among the next `rows` finished tasks or log entries. */
export function endedInSteps<T>(
  query: EndedQuery,
  rowsMax: number,
  step: (part: EndedQuery, rows: number) => Promise<FoundInStep<T, EndedCursor>>,
): Promise<readonly T[]> {
  const { kind, job, gate, states } = query;
  const hasFilter = states.length < 3 || [kind, job, gate].some((one) => one !== undefined);
  return inSteps(query.limit, query.after, (after, left) =>
    step(
      { ...query, ...(after && { after }), limit: left },
      hasFilter ? rowsMax : Math.min(rowsMax, left),
    ),
  );
}

/** `step` returns the matches among the next `rows` tasks. */
export function browseInSteps(
  query: BrowseQuery,
  rowsMax: number,
  step: (part: BrowseQuery, rows: number) => Promise<FoundInStep<Task, number>>,
): Promise<readonly Task[]> {
  const { afterId: first, limit, ...filter } = query;
  const hasFilter = Object.values(filter).some((one) => one !== undefined);
  return inSteps(limit, first, (afterId, left) =>
    step({ ...query, afterId, limit: left }, hasFilter ? rowsMax : Math.min(rowsMax, left)),
  );
}

/** `step` reads the next `rowsMax` gates and returns those that have tasks. */
export const gatesInSteps = (
  page: NamePage,
  rowsMax: number,
  step: (part: NamePage) => Promise<FoundInStep<Gate, string>>,
): Promise<readonly Gate[]> =>
  inSteps(page.limit, page.after, (after) => step({ after, limit: rowsMax }));

async function inSteps<T, Cursor>(
  limit: number,
  from: Cursor,
  step: (from: Cursor, left: number) => Promise<FoundInStep<T, NonNullable<Cursor>>>,
): Promise<readonly T[]> {
  const all: T[] = [];
  for (let after = from; ;) {
    const { found, last } = await step(after, limit - all.length);
    for (const one of found) all.push(one);
    if (last === undefined || all.length >= limit) return all.slice(0, limit);
    after = last;
    await new Promise<void>(afterTick);
  }
}
