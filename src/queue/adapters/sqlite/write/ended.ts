import type { Database } from "better-sqlite3";
import type { FoundInStep } from "../../../in-steps.ts";
import type { LogEntry, LogStats } from "../../../read/log-entry.ts";
import { endedOrder, isInLane } from "../../../model/read.ts";
import type { EndedCursor, EndedQuery } from "../../../queue-store.ts";
import type { Task, TaskState, TerminalState } from "../../../task.ts";
import { finishedFrom, portState, taskStates } from "../../../row-state.ts";
import { readAttempts, taskColumns, toTask, type TaskRow } from "../../../slice/task-row.ts";
import { statement } from "../connection/statement.ts";

/** The matching ones among the next `rows` finished tasks. */
export function endedStep(
  db: Database,
  query: EndedQuery,
  rows: number,
): FoundInStep<Task, EndedCursor> {
  const { after, isNewestFirst } = query;
  const [isBehind, order] = isNewestFirst ? ["<", "desc"] : [">", "asc"];
  const where = after ? `and (finished_at, t.id) ${isBehind} (@atMs, @id)` : "";
  const sql = `select ${taskColumns} from task t indexed by task_finished join lane l on l.id = t.lane
    where t.state = @state and t.state >= ${finishedFrom} ${where}
    order by finished_at ${order}, t.id ${order} limit @limit`;
  const values = { atMs: after?.finishedAtMs ?? 0, id: after?.id ?? 0, limit: rows };
  const looked = query.states
    .flatMap(
      (state) => statement(db, sql).all({ ...values, state: taskStates[state] }) as TaskRow[],
    )
    .map(toTask)
    .sort(endedOrder(query))
    .slice(0, rows);
  return stepOf(looked, query, rows);
}

function stepOf<T extends Task | LogEntry>(
  looked: readonly T[],
  query: EndedQuery,
  rows: number,
): FoundInStep<T, EndedCursor> {
  const states: ReadonlySet<TaskState> = new Set(query.states);
  return {
    found: looked.filter((one) => states.has(one.state) && isInLane(one, query)),
    last: looked.length < rows ? undefined : looked.at(-1),
  };
}

type LogRow = Omit<LogEntry, "state" | "attempts"> & { state: number; attempts: string | null };

/** The matching ones among the next `rows` entries of the log. */
export function logStep(
  db: Database,
  query: EndedQuery,
  rows: number,
): FoundInStep<LogEntry, EndedCursor> {
  const { after, isNewestFirst } = query;
  const [isBehind, order] = isNewestFirst ? ["<", "desc"] : [">", "asc"];
  const where = after ? `where (finished_at, id) ${isBehind} (@atMs, @id)` : "";
  const raw = statement(
    db,
    `${selectLog} ${where} order by finished_at ${order}, id ${order} limit @limit`,
  ).all({ atMs: after?.finishedAtMs ?? 0, id: after?.id ?? 0, limit: rows }) as LogRow[];
  return stepOf(raw.map(toEntry), query, rows);
}

export function logEntry(db: Database, id: number): LogEntry | undefined {
  const row = statement(db, `${selectLog} where id = ?`).get(id) as LogRow | undefined;
  return row && toEntry(row);
}

const selectLog = `select id, kind, job, gate, key, state, created_at as createdAtMs,
  finished_at as finishedAtMs, used, attempts_max as attemptsMax, attempts from log`;

const toEntry = ({ state, attempts, ...row }: LogRow): LogEntry => ({
  ...row,
  state: portState(state) as TerminalState,
  attempts: readAttempts(attempts),
});

export function logStats(db: Database): LogStats {
  return statement(
    db,
    `select coalesce((select value from meta where name = 'log_entries'), 0) as entries,
       coalesce((select min(finished_at) from log), 0) as oldestAtMs,
       coalesce((select value from meta where name = 'kept_keys'), 0) as keptKeys`,
  ).get() as LogStats;
}
