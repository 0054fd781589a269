import { AppError } from "../../../../base/app-error.ts";
import { queryOne, type Database } from "./database.ts";
import { steps } from "./schema.ts";

/** A step whose tables the version before cannot use says so; all others it can. */
export type MigrationStep = string | { readonly sql: string; readonly isBreaking: true };

interface Versions {
  /** Steps that were made. */
  readonly made: number;
  /** The oldest version whose nodes can use what they made. */
  readonly usableFrom: number;
}

/**
 * Brings the schema to this version. Many nodes may start at once: they take turns, and all but
 * the first find nothing to do. A schema of a newer version is left as it is: during a roll-out a
 * node goes on with what the next version made, unless that says otherwise; what is newer still is
 * refused. There is no way back.
 */
export async function migrate(
  db: Database,
  known: readonly MigrationStep[] = steps,
): Promise<void> {
  const { schema } = db.place;
  const { hasTable } = await queryOne<{ hasTable: boolean }>(
    db,
    `select exists (select 1 from pg_tables where schemaname = $1 and tablename = 'meta')
       as "hasTable"`,
    [schema],
  );
  if (hasTable && (await readVersions(db)).made >= known.length) return;
  await db.transaction(async (session) => {
    await session.query("select pg_advisory_xact_lock(hashtextextended($1, 1))", [schema]);
    await session.query("create schema if not exists @@");
    await session.query(
      "create table if not exists @meta (name text primary key, value text not null)",
    );
    const { made } = await readVersions(session);
    if (made >= known.length) return;
    for (const step of known.slice(made)) {
      await session.script(typeof step === "string" ? step : step.sql);
    }
    const isBreaking = typeof known.at(-1) !== "string";
    await write("version", known.length);
    await write("usable_from", isBreaking ? known.length : known.length - 1);

    async function write(name: string, value: number): Promise<void> {
      await session.query(
        `insert into @meta values ($1, $2)
         on conflict (name) do update set value = excluded.value`,
        [name, String(value)],
      );
    }
  });

  async function readVersions(session: Pick<Database, "query">): Promise<Versions> {
    const rows = await session.query<{ name: string; value: string }>(
      "select name, value from @meta where name in ('version', 'usable_from')",
    );
    const values = new Map(rows.map(({ name, value }) => [name, Number(value)]));
    const made = values.get("version") ?? 0;
    const usableFrom = values.get("usable_from") ?? made;
    if (made <= known.length || usableFrom <= known.length) return { made, usableFrom };
    throw new AppError(
      "invalid",
      "queue_too_new",
      `the queue ${db.place.name} was made by a newer version (its tables are at ${made}, this ` +
        `version knows ${known.length}): update this node`,
    );
  }
}
