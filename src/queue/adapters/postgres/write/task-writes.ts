import type { Add, Added } from "../../../operation.ts";
import { taskStates } from "../../../row-state.ts";
import type { ChangedTask } from "../../../slice/changes.ts";
import { writeAttempts } from "../../../slice/task-row.ts";
import type { NewTask } from "../../../task.ts";
import { numberArray, textArray } from "../rows/array-text.ts";
import type { PostgresSession } from "../connection/database.ts";
import type { PostgresLaneRow } from "../rows/rows.ts";

/** The rows must be locked. */
export function updateTasks(session: PostgresSession, changed: readonly ChangedTask[]): void {
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
      column(({ after }) => writeAttempts(after.attempts)),
      column(({ after }) => after.result),
      column(({ after }) => after.finishedAtMs),
    ],
  );
}

/** A new task with its lane. */
export interface TaskInsert {
  readonly task: NewTask;
  readonly lane: PostgresLaneRow;
  readonly isDue: boolean;
}

/** The ids of new rows, in the order of the rows. Call it after the commit. */
type NewIds = () => readonly number[];

/**
 * Inserts in the order that all transactions use, so that two transactions that add the same keys
 * wait for each other only once; the ids are in the order in which the tasks were added.
 */
export function insertRows(
  session: PostgresSession,
  rows: readonly TaskInsert[],
  nowMs: number,
): NewIds {
  let ids: readonly number[] = [];
  if (rows.length === 0) return () => ids;
  const { profiles, indexes } = profilesOf(rows);
  const column = (of: (row: TaskInsert) => number) => numberArray(profiles.map(of));
  const values = [
    textArray(rows.map(({ task }) => task.key)),
    textArray(rows.map(({ task }) => task.payload)),
    numberArray(indexes),
    column(({ lane }) => lane.id),
    column(({ lane }) => lane.scope),
    column(({ task }) => task.priority),
    column(({ task }) => task.dueAtMs),
    column(({ isDue }) => (isDue ? taskStates.ready : taskStates.scheduled)),
    column(({ task }) => task.attemptsMax),
    nowMs,
  ];
  session.query<{ readonly ids: readonly number[] }>(insertSql, values).then(
    ([found]) => (ids = found!.ids),
    () => {}, // its error makes the commit fail
  );
  return () => ids;
}

export function allAdded(
  operations: readonly Add[],
  ids: readonly number[],
): readonly (readonly Added[])[] {
  let at = 0;
  return operations.map(({ tasks }) => tasks.map(() => ({ status: "added", id: ids[at++]! })));
}

/** Most rows differ only in key and payload, so the common values are sent once. */
function profilesOf(rows: readonly TaskInsert[]): {
  readonly profiles: readonly TaskInsert[];
  readonly indexes: readonly number[];
} {
  const profiles: TaskInsert[] = [];
  const known = new Map<string, number>();
  let last: TaskInsert | undefined;
  let index = 0;
  const indexes = rows.map((row) => {
    if (last && isAlike(row, last)) return index;
    last = row;
    const { task, lane } = row;
    const name = `${lane.id} ${task.priority} ${task.dueAtMs} ${task.attemptsMax}`;
    index = known.get(name) ?? profiles.push(row);
    known.set(name, index);
    return index;
  });
  return { profiles, indexes };
}

/** `isDue` need not be compared, because it follows from `dueAtMs`. */
const isAlike = (a: TaskInsert, b: TaskInsert) =>
  a.lane.id === b.lane.id &&
  a.task.priority === b.task.priority &&
  a.task.dueAtMs === b.task.dueAtMs &&
  a.task.attemptsMax === b.task.attemptsMax;

export const insertSql = `with inserted as (insert into @task (id, lane, scope, key, payload, priority, due_at,
    created_at, state, token, used, attempts_max, is_suspect, expires_at, attempts, result,
    finished_at)
  select id, ($4::bigint[])[profile], ($5::bigint[])[profile], key, payload,
    ($6::int[])[profile], ($7::bigint[])[profile], $10::bigint, ($8::smallint[])[profile], 0, 0,
    ($9::int[])[profile], false, 0, null, null, 0
  from (select nextval('@task_id') as id, v.* from (
    select * from unnest($1::text[], $2::text[], $3::int[]) with ordinality
      as w (key, payload, profile, n)
    order by n) v) u
  order by ($5::bigint[])[profile], key collate "C" returning id)
  select json_agg(id order by id) as ids from inserted`;
