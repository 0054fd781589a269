import { endedOrder } from "../../model/read.ts";
import { identityOf } from "../../model/shard.ts";
import type { KeptKey, LogEntry, LogStats } from "../../log-entry.ts";
import type { Changed, ForgetKeys, PruneLog } from "../../operation.ts";
import type { EndedQuery } from "../../queue-store.ts";
import type { Attempt, NewTask, TerminalState } from "../../task.ts";
import { queryOne, type Session } from "./database.ts";
import { portState, taskStates } from "./task-row.ts";

/** What stands for the identity of a task in `kept_key`, of a table with its job, gate and key. */
export const identitySql = (table: string): string =>
  `sha256(convert_to(json_build_array(${table}.job, ${table}.gate, ${table}.key)::text, 'UTF8'))`;

/**
 * True where a key is reserved. Most queues have none for long: then one look at the table is all,
 * and no digest is made.
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

/** Which of these keys are reserved. Whoever adds has locked their jobs against a purge. */
export async function findKept(
  session: Session,
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

export async function isAnyKept(session: Session, identities: Identities): Promise<boolean> {
  const { isAny } = await queryOne<{ isAny: boolean }>(
    session,
    `select exists (select 1 from unnest($1::text[], $2::text[], $3::text[]) as u (job, gate, key)
       where ${isKeptSql("u")}) as "isAny"`,
    columnsOf(identities),
  );
  return isAny;
}

/** Two nodes may free the same keys at once: each counts what it removed. */
export async function forgetKeys(
  session: Session,
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
  return { changed: gone.length, hasMore: found.length > rowsMax };
}

export async function pruneLog(
  session: Session,
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
  return { changed: gone.length, hasMore };
}

type LogRow = Omit<LogEntry, "state" | "attempts"> & {
  readonly state: number;
  readonly attempts: string | null;
};

export async function readLog(session: Session, query: EndedQuery): Promise<readonly LogEntry[]> {
  const states = query.states.map((state) => taskStates[state]);
  const values: unknown[] = [query.limit, states];
  const where: string[] = [];
  const add = (condition: (...parameters: string[]) => string, ...given: readonly unknown[]) => {
    if (given.includes(undefined)) return;
    values.push(...given);
    const first = values.length - given.length + 1;
    where.push(`and ${condition(...given.map((_, at) => `$${first + at}`))}`);
  };
  add((parameter) => `kind = ${parameter}`, query.kind);
  add((parameter) => `job = ${parameter}`, query.job);
  add((parameter) => `gate = ${parameter}`, query.gate);
  const [isBehind, order] = query.isNewestFirst ? ["<", "desc"] : [">", "asc"];
  add(
    (atMs, id) => `(finished_at, id) ${isBehind} (${atMs}, ${id})`,
    query.after?.finishedAtMs,
    query.after?.id,
  );
  const rows = await session.query<LogRow>(
    `select id, kind, job, gate, key, state, created_at as "createdAtMs",
       finished_at as "finishedAtMs", used, attempts_max as "attemptsMax", attempts
     from @log where state = any($2::smallint[]) ${where.join(" ")}
     order by finished_at ${order}, id ${order} limit $1`,
    values,
  );
  return rows
    .map((row): LogEntry => ({
      ...row,
      state: portState(row.state) as TerminalState,
      attempts: row.attempts === null ? [] : (JSON.parse(row.attempts) as readonly Attempt[]),
    }))
    .sort(endedOrder(query));
}

export const readLogStats = (session: Session): Promise<LogStats> =>
  queryOne<LogStats>(
    session,
    `select (select count(*) from @log) as entries,
       coalesce((select min(finished_at) from @log), 0) as "oldestAtMs",
       (select count(*) from @kept_key) as "keptKeys"`,
  );
