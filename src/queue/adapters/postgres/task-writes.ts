import type { StoreNow } from "../../queue-store.ts";
import type { NewTask, Task } from "../../task.ts";
import type { Session } from "./database.ts";
import type { LaneRow } from "./rows.ts";
import { laneName } from "./slice.ts";
import { rowState, taskStates, type StateName } from "./task-row.ts";

export interface ChangedTask {
  readonly before: Task;
  readonly after: Task;
  readonly from: StateName;
  readonly to: StateName;
  readonly lane: LaneRow;
}

/** The rows are locked. */
export function updateTasks(session: Session, changed: readonly ChangedTask[]): void {
  if (changed.length === 0) return;
  const column = <T>(of: (one: ChangedTask) => T) => changed.map(of);
  session.send(
    `update @task t set state = u.state, priority = u.priority, due_at = u.due_at, used = u.used,
       is_suspect = u.is_suspect, expires_at = u.expires_at, attempts = u.attempts,
       result = u.result, finished_at = u.finished_at
     from unnest($1::bigint[], $2::smallint[], $3::int[], $4::bigint[], $5::int[], $6::bool[],
       $7::bigint[], $8::text[], $9::text[], $10::bigint[])
       as u (id, state, priority, due_at, used, is_suspect, expires_at, attempts, result,
         finished_at)
     where t.id = u.id`,
    [
      column(({ after }) => after.id),
      column(({ to }) => taskStates[to]),
      column(({ after }) => after.priority),
      column(({ after }) => after.dueAtMs),
      column(({ after }) => after.used),
      column(({ after }) => after.isSuspect),
      column(({ after }) => after.expiresAtMs),
      column(({ after }) => (after.attempts.length > 0 ? JSON.stringify(after.attempts) : null)),
      column(({ after }) => after.result),
      column(({ after }) => after.finishedAtMs),
    ],
  );
}

export function insertTasks(
  session: Session,
  added: readonly Task[],
  lanes: ReadonlyMap<string, LaneRow>,
  now: StoreNow,
): void {
  const rows = added.map((task) => ({
    task,
    lane: lanes.get(laneName(task))!,
    isDue: rowState(task, now.wallMs) === "ready",
  }));
  insertRows(session, rows, now.ms);
}

export interface NewRow {
  readonly task: NewTask;
  readonly lane: LaneRow;
  readonly isDue: boolean;
}

/**
 * In one order for everybody, so that two who add the same keys wait for each other only once;
 * with ids in the order in which they were added.
 */
export function insertRows(session: Session, rows: readonly NewRow[], nowMs: number): void {
  if (rows.length === 0) return;
  const column = <T>(of: (row: NewRow) => T) => rows.map(of);
  session.send(
    `insert into @task (id, lane, scope, key, payload, priority, due_at, created_at, state, token,
       used, attempts_max, is_suspect, expires_at, attempts, result, finished_at)
     select id, lane, scope, key, payload, priority, due_at, $8::bigint, state, 0, 0,
       attempts_max, false, 0, null, null, 0
     from (select nextval('@task_id') as id, v.* from (
       select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::int[],
         $6::bigint[], $7::smallint[], $9::int[]) with ordinality
         as w (lane, scope, key, payload, priority, due_at, state, attempts_max, n)
       order by n) v) u
     order by scope, key collate "C"`,
    [
      column(({ lane }) => lane.id),
      column(({ lane }) => lane.scope),
      column(({ task }) => task.key),
      column(({ task }) => task.payload),
      column(({ task }) => task.priority),
      column(({ task }) => task.dueAtMs),
      column(({ isDue }) => (isDue ? taskStates.ready : taskStates.scheduled)),
      nowMs,
      column(({ task }) => task.attemptsMax),
    ],
  );
}
