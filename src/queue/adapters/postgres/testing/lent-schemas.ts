import { createTestSchema, type TestSchema } from "./test-schema.ts";

/**
 * Schemas for tests that need only an empty queue. Creating one takes longer than most such tests,
 * so a returned schema is emptied and used again.
 */
export interface LentSchemas extends AsyncDisposable {
  lend(): Promise<TestSchema>;
}

export function createLentSchemas(url: string): LentSchemas {
  const free: TestSchema[] = [];
  return {
    async lend() {
      const schema = free.pop() ?? (await createTestSchema(url));
      return {
        ...schema,
        async [Symbol.asyncDispose]() {
          await empty(schema);
          free.push(schema);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      for (const schema of free.splice(0)) await schema[Symbol.asyncDispose]();
    },
  };
}

async function empty(schema: TestSchema): Promise<void> {
  const tables = await schema.query<{ table: string }>(
    "select tablename as table from pg_tables where schemaname = $1 and tablename <> 'meta'",
    [schema.name],
  );
  for (const { table } of tables) await schema.query(`delete from ${schema.quoted}.${table}`);
  await schema.query(
    `delete from ${schema.quoted}.meta where name in ('log_entries', 'kept_keys')`,
  );
  await schema.query(
    `select setval(format('%I.%I', schemaname, sequencename)::regclass, 1, false)
     from pg_sequences where schemaname = $1`,
    [schema.name],
  );
}
