import { newerFormat } from "../../../../base/text/formats.ts";
import type { QueueFormat } from "../../../queue-store.ts";
import { queryOne, type Database } from "./database.ts";
import { steps } from "./schema.ts";

/**
 * Brings the schema to this version. Many nodes may start at once: they take turns, and all but
 * the first find nothing to do. After every step, versions with fewer steps can still use the
 * tables. So a schema with more steps is left as it is, unless the upgrade was finished: then
 * `usable_from` in `meta` is higher than the number of steps that this version knows, and the schema
 * is refused. There are no downgrades.
 */
export async function migrate(db: Database, known: readonly string[] = steps): Promise<void> {
  const { schema } = db.place;
  const { hasTable } = await queryOne<{ hasTable: boolean }>(
    db,
    `select exists (select 1 from pg_tables where schemaname = $1 and tablename = 'meta')
       as "hasTable"`,
    [schema],
  );
  if (hasTable && (await checkFormat(db)).format >= known.length) return;
  await db.transaction(async (session) => {
    await session.query("select pg_advisory_xact_lock(hashtextextended($1, 1))", [schema]);
    await session.query("create schema if not exists @@");
    await session.query(
      "create table if not exists @meta (name text primary key, value text not null)",
    );
    const { format, readableBy } = await checkFormat(session);
    if (format >= known.length) return;
    for (const step of known.slice(format)) await session.script(step);
    const isNew = format === 0;
    await write(session, { format: known.length, readableBy: isNew ? known.length : readableBy });
  });

  async function checkFormat(session: Asker): Promise<QueueFormat> {
    const found = await readFormat(session);
    const newest = known.length;
    if (found.readableBy <= newest) return found;
    const where = `the queue ${db.place.name}`;
    throw newerFormat({ code: "queue_too_new", format: found.format, newest, where });
  }
}

type Asker = Pick<Database, "query">;

/** Both are 0 if the schema has no tables. */
export async function readFormat(session: Asker): Promise<QueueFormat> {
  const rows = await session.query<{ name: string; value: string }>(
    "select name, value from @meta where name in ('version', 'usable_from')",
  );
  const values = new Map(rows.map(({ name, value }) => [name, Number(value)]));
  const format = values.get("version") ?? 0;
  return { format, readableBy: values.get("usable_from") ?? format };
}

/** After this, versions with fewer steps are refused. */
export async function finishUpgrade(db: Database): Promise<QueueFormat> {
  return await db.transaction(async (session) => {
    await session.query("select pg_advisory_xact_lock(hashtextextended($1, 1))", [db.place.schema]);
    const { format } = await readFormat(session);
    const finished = { format, readableBy: format };
    await write(session, finished);
    return finished;
  });
}

async function write(session: Asker, { format, readableBy }: QueueFormat): Promise<void> {
  await session.query(
    `insert into @meta values ('version', $1), ('usable_from', $2)
     on conflict (name) do update set value = excluded.value`,
    [String(format), String(readableBy)],
  );
}
