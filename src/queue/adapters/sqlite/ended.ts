import type { Database } from "better-sqlite3";
import { afterTick } from "../../../base/tick.ts";
import { endedOrder, isInLane } from "../../model/read.ts";
import type { EndedQuery } from "../../queue-store.ts";
import type { Task } from "../../task.ts";
import { statement } from "./statement.ts";
import { taskStates, toTask, type TaskRow } from "./task-row.ts";

/** Tasks that one step looks at. A step blocks the event loop; this many take a few milliseconds. */
const stepTasks = 500;

type JoinedRow = TaskRow & { readonly kind: string; readonly job: string; readonly gate: string };

/**
 * Walks the index of finished tasks in steps, whatever the filter leaves out, and lets other work
 * run in between. `step` reads one part in a transaction of its own.
 */
export async function ended(
  query: EndedQuery,
  step: (part: EndedQuery) => Promise<readonly Task[]>,
): Promise<readonly Task[]> {
  const found: Task[] = [];
  const hasFilter = [query.kind, query.job, query.gate].some((one) => one !== undefined);
  let { after } = query;
  while (found.length < query.limit) {
    const limit = hasFilter ? stepTasks : Math.min(stepTasks, query.limit - found.length);
    const part = await step({ ...query, ...(after && { after }), limit });
    for (const task of part) if (isInLane(task, query)) found.push(task);
    if (part.length < limit) break;
    after = part.at(-1)!;
    await new Promise<void>(afterTick);
  }
  return found.slice(0, query.limit);
}

/** The next so many, of any kind, job and gate. */
export function endedStep(db: Database, query: EndedQuery): readonly Task[] {
  const { after, isNewestFirst, limit } = query;
  const [isBehind, order] = isNewestFirst ? ["<", "desc"] : [">", "asc"];
  const where = after ? `and (finished_at, task.id) ${isBehind} (@atMs, @id)` : "";
  const sql = `select task.*, lane.kind, lane.job, lane.gate
    from task indexed by task_finished join lane on lane.id = task.lane
    where task.state = @state and task.state >= 5 ${where}
    order by finished_at ${order}, task.id ${order} limit @limit`;
  const rows = query.states.flatMap(
    (state) =>
      statement(db, sql).all({
        state: taskStates[state],
        atMs: after?.finishedAtMs ?? 0,
        id: after?.id ?? 0,
        limit,
      }) as JoinedRow[],
  );
  return rows
    .map((row) => toTask(row, row))
    .sort(endedOrder(query))
    .slice(0, limit);
}
