import pg from "pg";
import { AppError, assert } from "../../../../base/app-error.ts";
import type { Connections } from "../../../queue-store.ts";
import type { PostgresPlace } from "./connection-options.ts";
import { isSessionLost, translateError } from "./postgres-error.ts";
import { createSessionPool } from "./session-pool.ts";
import type { NamesMode } from "./names-mode.ts";
import { createStatementNames } from "./statement-names.ts";

export type Values = readonly unknown[];

/**
 * A session in a transaction, or for one statement. `@name` is a name in the queue's schema.
 * Statements are sent at once and run in order. Do not await statements one by one if they do not
 * need each other's answers: then they cost one round trip.
 */
export interface PostgresSession {
  query<Row>(sql: string, values?: Values): Promise<readonly Row[]>;
  /** In a transaction: sends a statement and ignores its answer. If it fails, the commit fails. */
  send(sql: string, values?: Values): void;
  /** Runs several statements at once, without values and answers. */
  script(sql: string): Promise<void>;
}

export interface Database extends PostgresSession {
  /**
   * Runs `work` in a transaction (READ COMMITTED). If it throws `stale`, the transaction is rolled
   * back and run again: something that it read without a lock has changed before it wrote.
   */
  transaction<T>(
    work: (session: PostgresSession) => Promise<T>,
    options?: TransactionOptions<T>,
  ): Promise<T>;
  readonly place: PostgresPlace;
  /** Rises whenever a session is opened: after a failover it may be connected to another server. */
  sessions(): number;
  connections(): Connections;
  close(): Promise<void>;
}

export interface OpenDatabase extends Database {
  /** The same database for work that must continue when all other sessions are busy. */
  readonly maintenance: Database;
}

export interface TransactionOptions<T = unknown> {
  /** If this returns false, the transaction is rolled back. */
  readonly keeps?: (result: T) => boolean;
  /**
   * The result if another transaction created the same row first. Absent: the transaction starts
   * over.
   */
  readonly takenAs?: T;
  /** The commit returns before it is on the server's disk: a crash of the server may lose it. */
  readonly isLazy?: boolean;
  readonly isSnapshot?: boolean;
  /** Sent after the commit in the same round trip: sees what others committed before it. */
  readonly after?: (session: Pick<PostgresSession, "query">, result: T) => Promise<unknown>;
  /** Waits until no other transaction writes, and makes others wait. */
  readonly isAlone?: boolean;
  /**
   * `work` sends all statements before it waits, and the commit is sent with them, so there is one
   * round trip. `repeatable`: if the session breaks, the transaction may run again although it may
   * have been committed.
   */
  readonly isOneWay?: "once" | "repeatable";
}

export interface DatabaseOptions {
  readonly place: PostgresPlace;
  readonly statementMs: number;
  readonly lockMs: number;
  /**
   * How long a transaction may wait for its client. A client that is suspended during a transaction
   * holds locks that others need; after this time the server ends its session. Default 10,000.
   */
  readonly clientIdleMs?: number;
  readonly connectionsMax: number;
  readonly idleMax: number;
  readonly connectMs: number;
  readonly names: NamesMode;
}

class Stale extends Error {}
/** Thrown by a transaction that must start over. */
export const stale = (what: string): Error => new Stale(what);
const staleMax = 100;

/**
 * The session broke before anything could be committed: another session may run the transaction.
 */
class Lost extends Error {
  constructor(cause: unknown) {
    super("the session was lost", { cause });
  }
}

export function openDatabase(options: DatabaseOptions): OpenDatabase {
  const { place, statementMs, lockMs, clientIdleMs = 10_000 } = options;
  const pool = createSessionPool({ ...options, queryMs: statementMs + 5_000 });
  const names = createStatementNames(options.names);
  const texts = new Map<string, string>();
  const textOf = (sql: string) => {
    let text = texts.get(sql);
    if (text === undefined) texts.set(sql, (text = qualify(sql, place.schema)));
    return text;
  };
  const run = async <Row>(client: pg.ClientBase, sql: string, values: Values) =>
    (await names.run(client, textOf(sql), values)).rows as readonly Row[];
  const runScript = async (client: pg.ClientBase, sql: string) => {
    await client.query(qualify(sql, place.schema));
  };

  async function withClient<T>(
    isMaintenance: boolean,
    work: (client: pg.PoolClient) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      let client: pg.PoolClient | undefined;
      try {
        client = await pool.checkOut({ isMaintenance });
        const result = await work(client);
        pool.giveBack(client, "good");
        return result;
      } catch (failure) {
        const error = isTaken(failure) ? stale("another transaction was faster") : failure;
        const isOurs = error instanceof Stale || error instanceof AppError;
        if (client) pool.giveBack(client, isOurs ? "good" : "unknown");
        if (error instanceof Stale && attempt < staleMax) continue;
        if (error instanceof Lost && attempt === 1) continue;
        if (error instanceof Lost) throw translateError(error.cause, place.name);
        if (error instanceof Stale) {
          throw new AppError(
            "unavailable",
            "queue_busy",
            `the queue ${place.name} changed too often meanwhile (${error.message}): try again`,
          );
        }
        if (names.giveUpAfter(error) && attempt < staleMax) continue;
        throw translateError(error, place.name);
      }
    }
  }

  const key = `hashtextextended(${pg.escapeLiteral(place.schema)}, 3)`;
  const beginning = <T>({ isLazy, isSnapshot, isAlone }: TransactionOptions<T>) =>
    [
      isSnapshot ? "begin isolation level repeatable read read only" : "begin",
      `set local statement_timeout = ${statementMs}`,
      `set local idle_in_transaction_session_timeout = ${clientIdleMs}`,
      // Compiling a statement takes longer than running any of ours.
      "set local jit = off",
      ...(isSnapshot
        ? []
        : [
            `set local lock_timeout = ${lockMs}`,
            ...(isLazy ? ["set local synchronous_commit = off"] : []),
            // Every statement that writes goes from a few known rows to others by an index. Without
            // these settings, a planner without statistics chooses other plans, which lock in
            // another order.
            "set local enable_hashjoin = off",
            "set local enable_mergejoin = off",
            "set local enable_seqscan = off",
            // Use one plan for all values. Otherwise the server finds the plan for some values
            // cheaper in a large queue, and plans every claim again, which takes 1 ms.
            "set local plan_cache_mode = force_generic_plan",
            `select pg_advisory_xact_lock${isAlone ? "" : "_shared"}(${key})`,
          ]),
    ].join("; ");

  const open = (isMaintenance: boolean): Database => ({
    place,
    sessions: () => pool.opened(),
    connections: () => pool.connections(),
    query: (sql, values = []) =>
      withClient(isMaintenance, async (client) => {
        try {
          return await run(client, sql, values);
        } catch (error) {
          throw isSessionLost(error) ? new Lost(error) : error;
        }
      }),
    send: () => assert(false, "only a transaction has an end that waits for what was sent"),
    script: (sql) => withClient(isMaintenance, (client) => runScript(client, sql)),
    transaction: (work, transactionOptions = {}) =>
      withClient(isMaintenance, async (client) => {
        let isEnding = false;
        const sent: Promise<unknown>[] = [];
        const keep = <T>(promise: Promise<T>) => {
          promise.catch(() => {}); // its error is thrown at the end
          sent.push(promise);
          return promise;
        };
        const { keeps, isOneWay } = transactionOptions;
        const end = (isKept: boolean) => {
          isEnding = isKept && isOneWay !== "repeatable";
          const ended = client.query(isKept ? "commit" : "rollback");
          ended.catch(() => {});
          return ended;
        };
        void keep(client.query(beginning(transactionOptions)));
        try {
          const working = work({
            query: (sql, values = []) => keep(run(client, sql, values)),
            send: (sql, values = []) => void keep(run(client, sql, values)),
            script: (sql) => keep(runScript(client, sql)),
          });
          const early = isOneWay && end(true);
          const result = await working;
          const commit = early ?? end(keeps?.(result) ?? true);
          const after = transactionOptions.after?.(
            { query: (sql, values = []) => run(client, sql, values) },
            result,
          );
          await Promise.allSettled([after]);
          await Promise.all(sent);
          await commit;
          return result;
        } catch (error) {
          const first = (await firstFailure(sent)) ?? error;
          // If the session is gone, so is the transaction.
          if (!isOneWay) await client.query("rollback").catch(() => {});
          if ("takenAs" in transactionOptions && isTaken(first)) {
            return transactionOptions.takenAs as never;
          }
          throw isEnding || !isSessionLost(first) ? first : new Lost(first);
        }
      }),
    close: () => pool.close(),
  });
  return { ...open(false), maintenance: open(true) };
}

/** The first statement that failed. Later ones only say that the transaction is aborted. */
async function firstFailure(sent: readonly Promise<unknown>[]): Promise<unknown> {
  const ends = await Promise.allSettled(sent);
  return ends.find((end) => end.status === "rejected")?.reason as unknown;
}

/** Two transactions created the same row at the same time: the second starts over and finds it. */
const isTaken = (error: unknown) => error instanceof pg.DatabaseError && error.code === "23505";

/**
 * Replaces `@name` by a name in the schema, `'@name'` by that name as a string, and `@@` by the
 * schema.
 */
export function qualify(sql: string, schema: string): string {
  const quoted = pg.escapeIdentifier(schema);
  return sql.replaceAll(/'@(\w+)'|@(@|\w+)/g, (_, literal?: string, name?: string) => {
    if (literal !== undefined) return pg.escapeLiteral(`${quoted}.${literal}`);
    return name === "@" ? quoted : `${quoted}.${name}`;
  });
}

/** For statements that return exactly one row. */
export async function queryOne<Row>(
  session: PostgresSession,
  sql: string,
  values?: Values,
): Promise<Row> {
  const [row] = await session.query<Row>(sql, values);
  assert(row, "this statement answers with one row");
  return row;
}
