import type { ServerFigures } from "../../../queue-store.ts";
import type { PostgresSession } from "../connection/database.ts";

/** One statement that reads the server's own statistics and no table of the queue. */
const figuresSql = `
select
  (select count(*) from pg_stat_activity where backend_type = 'client backend')::int as used,
  current_setting('max_connections')::int as max,
  pg_database_size(current_database())::float8 as bytes,
  (select coalesce(sum(n_dead_tup), 0) from pg_stat_user_tables)::float8 as dead,
  (select blks_hit::float8 / nullif(blks_hit + blks_read, 0)
     from pg_stat_database where datname = current_database()) as hit,
  (select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0) * 1000
     from pg_stat_activity where xact_start is not null and pid <> pg_backend_pid())::float8 as longest`;

interface FiguresRow {
  readonly used: number;
  readonly max: number;
  readonly bytes: number;
  readonly dead: number;
  readonly hit: number | null;
  readonly longest: number;
}

/** A user who may not see the sessions of others sees only its own in `longest`. */
export async function readServerFigures(
  session: Pick<PostgresSession, "query">,
): Promise<ServerFigures> {
  const [row] = await session.query<FiguresRow>(figuresSql);
  const { used, max, bytes, dead, hit, longest } = row!;
  return {
    connectionsUsed: used,
    connectionsMax: max,
    databaseBytes: bytes,
    deadRows: dead,
    cacheHitShare: hit ?? 1,
    longestTransactionMs: Math.max(0, longest),
  };
}
