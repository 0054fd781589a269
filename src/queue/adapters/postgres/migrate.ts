import { AppError } from "../../../base/app-error.ts";
import { queryOne, type Database } from "./database.ts";
import { steps } from "./schema.ts";

/**
 * Brings the schema to this version. Many nodes may start at once: they take turns, and all but
 * the first find nothing to do. A schema of a newer version is refused: going back is not possible.
 */
export async function migrate(db: Database): Promise<void> {
  const { schema } = db.place;
  const { hasTable } = await queryOne<{ hasTable: boolean }>(
    db,
    `select exists (select 1 from pg_tables where schemaname = $1 and tablename = 'meta')
       as "hasTable"`,
    [schema],
  );
  if (hasTable && (await readVersion(db)) === steps.length) return;
  await db.transaction(async (session) => {
    await session.query("select pg_advisory_xact_lock(hashtextextended($1, 1))", [schema]);
    await session.query("create schema if not exists @@");
    await session.query(
      "create table if not exists @meta (name text primary key, value text not null)",
    );
    const version = await readVersion(session);
    for (const step of steps.slice(version)) await session.script(step);
    await session.query(
      `insert into @meta values ('version', $1)
       on conflict (name) do update set value = excluded.value`,
      [String(steps.length)],
    );
  });

  async function readVersion(session: Pick<Database, "query">): Promise<number> {
    const [row] = await session.query<{ value: string }>(
      "select value from @meta where name = 'version'",
    );
    const version = Number(row?.value ?? 0);
    if (version <= steps.length) return version;
    throw new AppError(
      "invalid",
      "queue_too_new",
      `the queue ${db.place.name} was made by a newer version (its tables are at ${version}, this ` +
        `version knows ${steps.length}): update this node`,
    );
  }
}
