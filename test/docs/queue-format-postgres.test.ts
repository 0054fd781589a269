// needs: postgres
// inputs: docs/formats/** src/queue/**
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgresQueueStore } from "../../src/queue/adapters/postgres/postgres-queue-store.ts";
import { steps } from "../../src/queue/adapters/postgres/connection/schema.ts";
import {
  createTestSchema,
  type TestSchema,
} from "../../src/queue/adapters/postgres/testing/test-schema.ts";
import { repositoryRoot } from "../support/repository.ts";
import { needs } from "../support/services.ts";

const page = readFileSync(join(repositoryRoot, "docs/formats/queue-postgres.md"), "utf8");
const golden = join(repositoryRoot, "docs/formats/queue-postgres.sql");

needs(["postgres"], ({ postgres }) => {
  let schema: TestSchema;
  beforeAll(async () => {
    schema = await createTestSchema(postgres.url);
    const store = await openPostgresQueueStore({ url: postgres.url, schema: schema.name });
    await store[Symbol.asyncDispose]();
  });
  afterAll(async () => schema[Symbol.asyncDispose]());

  test("the tables are those of a fresh schema (after a new step: vitest -u)", async () => {
    const tables = await schema.query<{ name: string; columns: string; options: string | null }>(
      `select c.relname as name, array_to_string(c.reloptions, ', ') as options,
         (select string_agg(format('  %s %s%s%s%s', a.attname,
             format_type(a.atttypid, a.atttypmod),
             case when l.collname = 'C' then ' collate "C"' else '' end,
             case when a.attidentity <> '' then ' generated always as identity' else '' end,
             case when a.attnotnull then ' not null' else '' end), E',\\n' order by a.attnum)
           from pg_attribute a left join pg_collation l on l.oid = a.attcollation
           where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = $1 and c.relkind = 'r' order by 1`,
      [schema.name],
    );
    const indexes = await schema.query<{ table: string; text: string }>(
      `select tablename as table, indexdef as text from pg_indexes where schemaname = $1
       order by tablename, indexname`,
      [schema.name],
    );
    const sequences = await schema.query<{ name: string }>(
      `select sequencename as name from pg_sequences where schemaname = $1
         and sequencename not like '%\\_id\\_seq' order by 1`,
      [schema.name],
    );
    const text = [
      `-- version ${steps.length}`,
      ...tables.flatMap(({ name, columns, options }) => [
        "",
        `create table ${name} (\n${columns}\n)${options ? ` with (${options})` : ""};`,
        ...indexes
          .filter(({ table }) => table === name)
          .map((index) => `${index.text.replaceAll(`${schema.quoted}.`, "")};`),
      ]),
      "",
      ...sequences.map(({ name }) => `create sequence ${name};`),
      "",
    ].join("\n");
    await expect(text).toMatchFileSnapshot(golden);
  });

  test("the page names every table and every column, and no others", async () => {
    const rows = await schema.query<{ table: string; column: string }>(
      `select table_name as table, column_name as column from information_schema.columns
       where table_schema = $1 and table_name not in
         (select sequencename from pg_sequences where schemaname = $1)`,
      [schema.name],
    );
    const real = new Map<string, Set<string>>();
    for (const { table, column } of rows) {
      real.set(table, (real.get(table) ?? new Set()).add(column));
    }
    expect(described()).toEqual(real);
  });

  test("the page says which number the format has", () => {
    expect(page).toContain(`\`version\`, the number of the format, now ${steps.length}`);
  });
});

/** Of each `### table` the names in the first cells of its rows. */
function described(): ReadonlyMap<string, ReadonlySet<string>> {
  const sections = page.split(/^### /m).slice(1);
  return new Map(
    sections.map((text) => {
      const rows = text.split("\n").filter((line) => line.startsWith("| `"));
      const cells = rows.map((line) => line.split("|")[1] ?? "").join(" ");
      const names = [...cells.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
      return [text.slice(0, text.indexOf("\n")), new Set(names)];
    }),
  );
}
