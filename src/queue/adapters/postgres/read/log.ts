import type { FoundInStep } from "../../../in-steps.ts";
import { identityOf } from "../../../model/shard.ts";
import type { KeptKey, LogEntry, LogStats } from "../../../read/log-entry.ts";
import type { Changed, ForgetKeys, PruneLog } from "../../../operation.ts";
import type { EndedCursor, EndedQuery } from "../../../queue-store.ts";
import type { Attempt, NewTask, TerminalState } from "../../../task.ts";
import { queryOne, type PostgresSession } from "../connection/database.ts";
import { endedConditions, lookSql, stepOf, type LookedRow } from "./look.ts";
import { portState, taskStates } from "../../../row-state.ts";

/** SQL for `kept_key.identity`, from a table that has the columns job, gate and key. */
export const identitySql = (table: string): string =>
  `sha256(convert_to(json_build_array(${table}.job, ${table}.gate, ${table}.key)::text, 'UTF8'))`;

/**
 * SQL that is true if the key of a row is reserved. While the queue has no reserved keys, it only
 * checks that the table is empty and computes no digest.
 */
export const isKeptSql = (table: string): string =>
  `((select exists (select 1 from @kept_key)) and exists (
     select 1 from @kept_key k where k.identity = ${identitySql(table)}))`;

type Identities = readonly Pick<NewTask, "job" | "gate" | "key">[];

const columnsOf = (identities: Identities) => [
  identities.map(({ job }) => job),
  identities.map(({ gate }) => gate),
  identities.map(({ key }) => key),
];

/** Finds which of these keys are reserved. An add locks the jobs of its tasks against a purge. */
export async function findKept(
  session: PostgresSession,
  identities: Identities,
): Promise<ReadonlyMap<string, KeptKey>> {
  if (identities.length === 0) return new Map();
  const rows = await session.query<KeptRow>(
    `select k.id, k.kind, u.job, u.gate, u.key, k.state, k.finished_at as "finishedAtMs"
     from unnest($1::text[], $2::text[], $3::text[]) as u (job, gate, key)
     join @kept_key k on k.identity = ${identitySql("u")}
     where (select exists (select 1 from @kept_key))`,
    columnsOf(identities),
  );
  return new Map(
    rows.map((row) => [identityOf(row), { ...row, state: portState(row.state) as TerminalState }]),
  );
}

type KeptRow = Omit<KeptKey, "state"> & { readonly state: number };

export async function isAnyKept(
  session: PostgresSession,
  identities: Identities,
): Promise<boolean> {
  const { isAny } = await queryOne<{ isAny: boolean }>(
    session,
    `select exists (select 1 from unnest($1::text[], $2::text[], $3::text[]) as u (job, gate, key)
       where ${isKeptSql("u")}) as "isAny"`,
    columnsOf(identities),
  );
  return isAny;
}

/** If two nodes free the same keys at once, each counts only the keys that it removed. */
export async function forgetKeys(
  session: PostgresSession,
  { filter, rowsMax }: ForgetKeys,
): Promise<Changed> {
  const { ids, job, kind, gate, finishedBeforeMs } = filter;
  const values: unknown[] = [filter.states.map((state) => taskStates[state]), rowsMax + 1];
  const where: string[] = [];
  const add = (condition: (parameter: string) => string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    where.push(`and ${condition(`$${values.length}`)}`);
  };
  add((parameter) => `id = any(${parameter}::bigint[])`, ids);
  add((parameter) => `job = ${parameter}`, job);
  add((parameter) => `kind = ${parameter}`, kind);
  add((parameter) => `gate = ${parameter}`, gate);
  add((parameter) => `finished_at < ${parameter}`, finishedBeforeMs);
  const found = await session.query<{ identity: Buffer }>(
    `select identity from @kept_key where state = any($1::smallint[]) ${where.join(" ")}
     order by finished_at, id limit $2`,
    values,
  );
  const gone = await session.query(
    "delete from @kept_key where identity = any($1::bytea[]) returning 1",
    [found.slice(0, rowsMax).map(({ identity }) => identity)],
  );
  countKept(session, "kept_keys", -gone.length);
  return { changed: gone.length, hasMore: found.length > rowsMax };
}

/**
 * Keeps the number of rows of a table, because counting the rows would read all of them. Call it last
 * in a transaction: it locks the counter for other transactions that change it.
 */
export function countKept(
  session: PostgresSession,
  name: "log_entries" | "kept_keys",
  by: number,
): void {
  session.send(
    `insert into @meta as m values ($1, $2)
     on conflict (name) do update set value = (m.value::bigint + excluded.value::bigint)::text`,
    [name, String(by)],
  );
}

export async function pruneLog(
  session: PostgresSession,
  { finishedBeforeMs, rowsMax }: PruneLog,
): Promise<Changed> {
  const gone = await session.query(
    `delete from @log where id = any(array(select id from @log where finished_at < $1
       order by finished_at, id limit $2)) returning 1`,
    [finishedBeforeMs, rowsMax],
  );
  const { hasMore } = await queryOne<{ hasMore: boolean }>(
    session,
    `select exists (select 1 from @log where finished_at < $1) as "hasMore"`,
    [finishedBeforeMs],
  );
  countKept(session, "log_entries", -gone.length);
  return { changed: gone.length, hasMore };
}

type LogRow = Omit<LogEntry, "state" | "attempts"> & {
  readonly state: number;
  readonly attempts: string | null;
};

/** The matching ones among the next `rows` entries. */
export async function logStep(
  session: PostgresSession,
  query: EndedQuery,
  rows: number,
): Promise<FoundInStep<LogEntry, EndedCursor>> {
  const { isBehind, order, values, where } = endedConditions(query, [rows, query.limit], "u");
  values.push(query.states.map((state) => taskStates[state]));
  where.push(`u.state = any($${values.length}::smallint[])`);
  const after = query.after && `where (finished_at, id) ${isBehind}`;
  const found = await session.query<LookedRow<LogRow>>(
    lookSql({
      step: `select * from @log ${after ?? ""} order by finished_at ${order}, id ${order} limit $1`,
      columns: logColumns,
      from: `step u where ${where.join(" and ")}`,
      order,
    }),
    values,
  );
  return stepOf(found, query, toEntry);
}

export async function readLogEntry(
  session: PostgresSession,
  id: number,
): Promise<LogEntry | undefined> {
  const [row] = await session.query<LogRow>(`select ${logColumns} from @log u where u.id = $1`, [
    id,
  ]);
  return row && toEntry(row);
}

const logColumns = `u.id, u.kind, u.job, u.gate, u.key, u.state, u.created_at as "createdAtMs",
  u.finished_at as "finishedAtMs", u.used, u.attempts_max as "attemptsMax", u.attempts`;

const toEntry = (row: LogRow): LogEntry => ({
  ...row,
  state: portState(row.state) as TerminalState,
  attempts: row.attempts === null ? [] : (JSON.parse(row.attempts) as readonly Attempt[]),
});

export const readLogStats = (session: PostgresSession): Promise<LogStats> =>
  queryOne<LogStats>(
    session,
    `select coalesce((select value::bigint from @meta where name = 'log_entries'), 0) as entries,
       coalesce((select min(finished_at) from @log), 0) as "oldestAtMs",
       coalesce((select value::bigint from @meta where name = 'kept_keys'), 0) as "keptKeys"`,
  );
