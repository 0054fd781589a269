import type { Database } from "better-sqlite3";
import { endedOrder } from "../../model/read.ts";
import type { EndedQuery } from "../../queue-store.ts";
import type { LogEntry, LogStats } from "../../log-entry.ts";
import type { Task, TerminalState } from "../../task.ts";
import { statement } from "./statement.ts";
import { portState, readAttempts, taskStates, toTask, type TaskRow } from "./task-row.ts";

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

type LogRow = Omit<LogEntry, "state" | "attempts"> & { state: number; attempts: string | null };

/** The next so many entries of the log, whatever the filter. */
export function logStep(db: Database, query: EndedQuery): readonly LogEntry[] {
  const { after, isNewestFirst, limit } = query;
  const [isBehind, order] = isNewestFirst ? ["<", "desc"] : [">", "asc"];
  const where = after ? `where (finished_at, id) ${isBehind} (@atMs, @id)` : "";
  const rows = statement(
    db,
    `select id, kind, job, gate, key, state, created_at as createdAtMs,
       finished_at as finishedAtMs, used, attempts_max as attemptsMax, attempts
     from log ${where} order by finished_at ${order}, id ${order} limit @limit`,
  ).all({ atMs: after?.finishedAtMs ?? 0, id: after?.id ?? 0, limit }) as LogRow[];
  return rows.map(({ state, attempts, ...row }) => ({
    ...row,
    state: portState(state) as TerminalState,
    attempts: readAttempts(attempts),
  }));
}

/** Counts the rows of an index, about 50 ms for a million. */
export function logStats(db: Database): LogStats {
  return statement(
    db,
    `select (select count(*) from log) as entries,
       coalesce((select min(finished_at) from log), 0) as oldestAtMs,
       (select count(*) from kept_key) as keptKeys`,
  ).get() as LogStats;
}
