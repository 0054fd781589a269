import { sleep, systemClock, type Clock } from "../../../../base/clock.ts";
import { createChangeWatch } from "../connection/change-watch.ts";
import { readPlace } from "../connection/connection-options.ts";
import { openDatabase, queryOne, type Database } from "../connection/database.ts";
import type { PostgresQueueStoreOptions } from "../postgres-queue-store.ts";
import { steps } from "../connection/schema.ts";

/** Facts about a server and about a queue in it. Reading them creates and changes nothing. */
export interface PostgresFacts {
  /** As `server_version_num`, for instance 150004. */
  readonly version: number;
  readonly versionText: string;
  readonly isReadOnly: boolean;
  /** Undefined if the tables do not exist. */
  readonly tables: TableFacts | undefined;
  /** The number of schema steps that this program knows. */
  readonly tablesKnown: number;
  /** Whether this user may create the schema. */
  readonly canMake: boolean;
  readonly settings: {
    readonly fsync: string;
    readonly synchronousCommit: string;
    readonly autovacuum: string;
    readonly connectionsMax: number;
  };
  readonly connections: number;
  /** How far the server's clock is ahead of ours, within `clockErrorMs`. */
  readonly clockAheadMs: number;
  readonly clockErrorMs: number;
  readonly oldest: OldestTransaction | undefined;
  /**
   * True if one session receives notifications of another one: false behind a transaction pooler.
   */
  readonly hearsOthers: boolean;
}

export interface TableFacts {
  readonly version: number;
  readonly usableFrom: number;
  /** Rights that this user lacks, such as `update on task`. */
  readonly lacking: readonly string[];
  /** Whether this user may change the tables, which steps of later versions need. */
  readonly isOwner: boolean;
  readonly sizes: readonly {
    readonly name: string;
    readonly live: number;
    readonly dead: number;
  }[];
}

export interface OldestTransaction {
  readonly pid: number;
  readonly application: string;
  readonly state: string;
  readonly ageS: number;
}

export type ExamineQueueOptions = Pick<
  PostgresQueueStoreOptions,
  "url" | "variables" | "password" | "schema" | "listenUrl" | "listenPassword"
> & { readonly clock?: Clock };

const timeMs = 10_000;
const hearMs = 3_000;

export async function examinePostgres(options: ExamineQueueOptions): Promise<PostgresFacts> {
  const { clock = systemClock, schema, password, variables, listenUrl } = options;
  const place = readPlace(options.url, { schema, password, variables });
  const limits = { statementMs: timeMs, lockMs: timeMs, connectMs: place.connectMs ?? timeMs };
  const db = openDatabase({ place, connectionsMax: 4, idleMax: 4, names: "never", ...limits });
  try {
    const direct = listenUrl
      ? readPlace(listenUrl, {
          schema: place.schema,
          password: options.listenPassword ?? password,
          variables,
        })
      : place;
    return {
      ...(await readServer(db)),
      ...(await readClock(db, clock)),
      tables: await readTables(db),
      tablesKnown: steps.length,
      oldest: await readOldest(db),
      hearsOthers: await hearsOthers(db, direct),
    };
  } finally {
    await db.close();
  }
}

type ServerFacts = Pick<
  PostgresFacts,
  "version" | "versionText" | "isReadOnly" | "canMake" | "settings" | "connections"
>;

async function readServer(db: Database): Promise<ServerFacts> {
  const row = await queryOne<{
    version: number;
    versionText: string;
    isReadOnly: boolean;
    canMake: boolean;
    fsync: string;
    synchronousCommit: string;
    autovacuum: string;
    connectionsMax: number;
    connections: number;
  }>(
    db,
    `select current_setting('server_version_num')::int as version,
       current_setting('server_version') as "versionText",
       pg_is_in_recovery() or current_setting('transaction_read_only')::bool as "isReadOnly",
       has_database_privilege(current_database(), 'CREATE') as "canMake",
       current_setting('fsync') as fsync,
       current_setting('synchronous_commit') as "synchronousCommit",
       current_setting('autovacuum') as autovacuum,
       current_setting('max_connections')::int as "connectionsMax",
       (select count(*) from pg_stat_activity where backend_type = 'client backend')
         as connections`,
  );
  const { fsync, synchronousCommit, autovacuum, connectionsMax, ...rest } = row;
  return { ...rest, settings: { fsync, synchronousCommit, autovacuum, connectionsMax } };
}

/** Takes three readings and uses the fastest one, which is the most precise. */
async function readClock(
  db: Database,
  clock: Clock,
): Promise<Pick<PostgresFacts, "clockAheadMs" | "clockErrorMs">> {
  let best = { clockAheadMs: 0, clockErrorMs: Infinity };
  for (let reading = 0; reading < 3; reading++) {
    const [beforeMs, startMs] = [clock.nowMs(), clock.monotonicMs()];
    const { ms } = await queryOne<{ ms: number }>(
      db,
      "select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms",
    );
    const clockErrorMs = (clock.monotonicMs() - startMs) / 2;
    if (clockErrorMs >= best.clockErrorMs) continue;
    best = { clockAheadMs: Math.round(ms - (beforeMs + clockErrorMs)), clockErrorMs };
  }
  return { ...best, clockErrorMs: Math.ceil(best.clockErrorMs) };
}

async function readTables(db: Database): Promise<TableFacts | undefined> {
  const rows = await db.query<{
    name: string;
    isOwner: boolean;
    lacking: string[];
    live: number;
    dead: number;
  }>(
    `select c.relname as name, pg_has_role(c.relowner, 'USAGE') as "isOwner",
       array(select need || ' on ' || c.relname
         from unnest(array['select', 'insert', 'update', 'delete']) as need
         where not has_schema_privilege(n.oid, 'USAGE')
           or not has_table_privilege(c.oid, need)) as lacking,
       coalesce(s.n_live_tup, 0) as live, coalesce(s.n_dead_tup, 0) as dead
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     left join pg_stat_all_tables s on s.relid = c.oid
     where n.nspname = $1 and c.relkind = 'r' order by c.relname`,
    [db.place.schema],
  );
  if (!rows.some(({ name }) => name === "meta")) return undefined;
  const lacking = rows.flatMap((row) => row.lacking);
  const canRead = !lacking.includes("select on meta");
  const values = new Map(
    canRead
      ? (await db.query<{ name: string; value: string }>("select name, value from @meta")).map(
          ({ name, value }) => [name, Number(value)],
        )
      : [],
  );
  const version = values.get("version") ?? 0;
  return {
    version,
    usableFrom: values.get("usable_from") ?? version,
    lacking,
    isOwner: rows.every(({ isOwner }) => isOwner),
    sizes: rows.map(({ name, live, dead }) => ({ name, live, dead })),
  };
}

/** Without pg_read_all_stats, transactions of other users are not visible and not reported. */
async function readOldest(db: Database): Promise<OldestTransaction | undefined> {
  const [oldest] = await db.query<OldestTransaction>(
    `select pid, coalesce(application_name, '') as application, coalesce(state, '') as state,
       floor(extract(epoch from clock_timestamp() - xact_start))::int as "ageS"
     from pg_stat_activity
     where xact_start is not null and pid <> pg_backend_pid() and backend_type = 'client backend'
     order by xact_start limit 1`,
  );
  return oldest;
}

async function hearsOthers(db: Database, place: Database["place"]): Promise<boolean> {
  const watch = createChangeWatch({ db, place, clock: systemClock });
  const end = watch.watch(() => {});
  for (let waitedMs = 0; waitedMs < hearMs && !watch.isListening(); waitedMs += 20) {
    await sleep(systemClock, 20);
  }
  const isNotified = watch.isListening();
  end();
  await watch.close();
  return isNotified;
}
