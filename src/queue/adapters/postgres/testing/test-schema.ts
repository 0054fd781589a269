import pg from "pg";
import { createId } from "../../../../base/ids.ts";
import { systemRandom } from "../../../../base/random.ts";

export interface TestSchema extends AsyncDisposable {
  readonly name: string;
  /** The quoted name, for SQL. */
  readonly quoted: string;
  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Copies the current tables and sequences into a new schema. */
  copy(): Promise<string>;
}

/**
 * A schema name for one test; the schema is dropped after the test. It is not created here, because
 * the store does that.
 */
export async function createTestSchema(url: string, suffix = ""): Promise<TestSchema> {
  const id = createId(systemRandom);
  const name = suffix.length === 63 ? id.padEnd(63, "x") : `Test "${id}${suffix}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const made = [name];
  return {
    name,
    quoted: pg.escapeIdentifier(name),
    query: async <Row extends object>(sql: string, values: readonly unknown[] = []) =>
      (await client.query<Row>(sql, [...values])).rows,
    async copy() {
      const to = `${name} copy ${made.length}`;
      made.push(to);
      await copySchema(client, name, to);
      return to;
    },
    async [Symbol.asyncDispose]() {
      for (const schema of made) {
        await client.query(`drop schema if exists ${pg.escapeIdentifier(schema)} cascade`);
      }
      await client.end();
    },
  };
}

async function copySchema(client: pg.Client, from: string, to: string): Promise<void> {
  const [source, target] = [from, to].map((schema) => pg.escapeIdentifier(schema));
  const tables = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = $1",
    [from],
  );
  const sequences = await client.query<{ name: string; value: string | null }>(
    "select sequencename as name, last_value as value from pg_sequences where schemaname = $1",
    [from],
  );
  await client.query(`create schema ${target}`);
  for (const { name } of tables.rows) {
    await client.query(`create table ${target}.${name} (like ${source}.${name} including all)`);
    await client.query(
      `insert into ${target}.${name} overriding system value select * from ${source}.${name}`,
    );
  }
  for (const { name, value } of sequences.rows) {
    await client.query(`create sequence if not exists ${target}.${name}`);
    const place = `${target}.${name}`;
    if (value !== null) await client.query("select setval($1::regclass, $2)", [place, value]);
  }
}
