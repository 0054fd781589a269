import type { Database } from "better-sqlite3";
import { endedOrder } from "../../model/read.ts";
import type { EndedQuery } from "../../queue-store.ts";
import type { Task } from "../../task.ts";
import { statement } from "./statement.ts";
import { taskStates, toTask, type TaskRow } from "./task-row.ts";

type JoinedRow = TaskRow & { readonly kind: string; readonly job: string; readonly gate: string };

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
