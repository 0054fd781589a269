import pg from "pg";
import { AppError } from "../../../base/app-error.ts";
import { formats, isReadable, markOf, type FormatMark } from "../../../base/text/formats.ts";
import { closable } from "../../../base/closable.ts";
import { listLimitMax, type Bucket } from "../../bucket.ts";
import { checkBody, checkKey, checkListing } from "../../key.ts";
import { translatePostgresError, type PostgresRequest } from "./postgres-error.ts";

export interface PostgresBucketOptions {
  readonly url: string;
  /** Lower-case letters, digits and _. */
  readonly table?: string;
}

const connectionsMax = 10;
const connectMs = 5_000;
const queryMs = 30_000;

/**
 * Bucket in one table of PostgreSQL. Each call is one statement, so a condition and its write are
 * one step. ETags are numbers of a sequence, so an ETag is never used again. The row with the empty
 * key holds the number of the format.
 */
export async function openPostgresBucket(options: PostgresBucketOptions): Promise<Bucket> {
  const { url, table = "forager_bucket" } = options;
  if (!/^[a-z_][a-z0-9_]{0,50}$/.test(table)) {
    const message = `"${table}" cannot name a table: use lower-case letters, digits and _`;
    throw new AppError("invalid", "bucket_address", message);
  }
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
    statement_timeout: queryMs,
    allowExitOnIdle: true,
  });
  pool.on("error", () => {}); // an idle connection ended; the next query opens another
  const query = async <Row extends pg.QueryResultRow>(
    request: PostgresRequest,
    [sql, ...values]: readonly [string, ...unknown[]],
  ): Promise<readonly Row[]> => {
    try {
      return (await pool.query<Row>(sql, values)).rows;
    } catch (error) {
      throw translatePostgresError(error, request);
    }
  };
  try {
    await prepareTable(pool, table);
  } catch (error) {
    await pool.end();
    throw translatePostgresError(error, { isWrite: false, key: table });
  }

  const stamp = `nextval('${table}_etag')::text`;
  const found = "(extract(epoch from modified_at) * 1000)::float8 as modified_ms";
  const nowMs = "(extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms";

  return {
    async get(key, { ifNoneMatch } = {}) {
      checkKey(key);
      const [row] = await query<ObjectRow>({ isWrite: false, key }, [
        `select etag, ${found}, ${nowMs}, case when etag = $2 then null else body end as body
         from ${table} where key = $1`,
        key,
        ifNoneMatch ?? "",
      ]);
      if (!row) return { status: "absent" };
      if (row.body === null) return { status: "unchanged" };
      const [modifiedAtMs, seenAtMs] = [Math.floor(row.modified_ms), Math.floor(row.now_ms)];
      return { status: "found", body: row.body, etag: row.etag, modifiedAtMs, seenAtMs };
    },
    async putIfAbsent(key, body) {
      checkBody(key, body);
      const [row] = await query<EtagRow>({ isWrite: true, key }, [
        `insert into ${table} (key, body, etag, modified_at)
         values ($1, $2, ${stamp}, clock_timestamp())
         on conflict (key) do nothing returning etag`,
        key,
        Buffer.from(body),
      ]);
      return row ? { status: "created", etag: row.etag } : { status: "exists" };
    },
    async putIfMatch(key, body, etag) {
      checkBody(key, body);
      const [row] = await query<EtagRow>({ isWrite: true, key }, [
        `update ${table} set body = $2, etag = ${stamp}, modified_at = clock_timestamp()
         where key = $1 and etag = $3 returning etag`,
        key,
        Buffer.from(body),
        etag,
      ]);
      return row ? { status: "written", etag: row.etag } : { status: "stale" };
    },
    async put(key, body) {
      checkBody(key, body);
      const [row] = await query<EtagRow>({ isWrite: true, key }, [
        `insert into ${table} (key, body, etag, modified_at)
         values ($1, $2, ${stamp}, clock_timestamp())
         on conflict (key) do update set
           body = excluded.body, etag = excluded.etag, modified_at = clock_timestamp()
         returning etag`,
        key,
        Buffer.from(body),
      ]);
      return { etag: row!.etag };
    },
    async delete(key) {
      checkKey(key);
      await query({ isWrite: true, key }, [`delete from ${table} where key = $1`, key]);
    },
    async list(prefix, listing = {}) {
      checkListing(prefix, listing);
      const { startAfter = "", limit = listLimitMax } = listing;
      const rows = await query<ListRow>({ isWrite: false, key: prefix }, [
        `select key, etag, length(body) as bytes, ${found} from ${table}
         where key > $1 and key >= $2 and starts_with(key, $2) order by key limit $3`,
        startAfter,
        prefix,
        limit,
      ]);
      return rows.map(({ key, etag, bytes, modified_ms }) => {
        return { key, etag, bytes, modifiedAtMs: Math.floor(modified_ms) };
      });
    },
    async now() {
      const [row] = await query<{ now_ms: number }>({ isWrite: false, key: "the time" }, [
        `select ${nowMs}`,
      ]);
      const ms = Math.floor(row!.now_ms);
      return { earliestMs: ms, latestMs: ms + 1 };
    },
    traits: () => ({ table }),
    ...closable(() => pool.end()),
  };
}

interface EtagRow {
  readonly etag: string;
}

interface ObjectRow extends EtagRow {
  readonly body: Buffer | null;
  readonly modified_ms: number;
  readonly now_ms: number;
}

interface ListRow extends EtagRow {
  readonly key: string;
  readonly bytes: number;
  readonly modified_ms: number;
}

/** Many nodes may open it at the same time: one creates the table, the others wait. */
async function prepareTable(pool: pg.Pool, table: string): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock(hashtext($1))", [table]);
    // Compares keys by their bytes, regardless of the collation of the database.
    await client.query(`create table if not exists ${table} (
      key text collate "C" primary key, body bytea not null, etag text not null,
      modified_at timestamptz not null)`);
    await client.query(`create sequence if not exists ${table}_etag`);
    await client.query(
      `insert into ${table} values ('', $1, '0', clock_timestamp()) on conflict do nothing`,
      [Buffer.from(JSON.stringify(markOf(formats.postgresBucket.newest)))],
    );
    const { rows } = await client.query<{ body: Buffer }>(
      `select body from ${table} where key = ''`,
    );
    await client.query("commit");
    checkFormat(rows[0]?.body.toString() ?? "", table);
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}

function checkFormat(text: string, table: string): void {
  let mark: FormatMark | undefined;
  try {
    mark = JSON.parse(text) as FormatMark;
  } catch {
    // handled below
  }
  if (isReadable("postgresBucket", mark, `the bucket in table ${table}`)) return;
  const message = `table ${table} is not a bucket of forager: use a separate table for the bucket`;
  throw new AppError("corrupt", "not_a_bucket", message);
}
