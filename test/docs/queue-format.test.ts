// inputs: docs/formats/** src/queue/**
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSqliteQueueStore } from "../../src/queue/adapters/sqlite/sqlite-queue-store.ts";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import { repositoryRoot } from "../support/repository.ts";

const page = readFileSync(join(repositoryRoot, "docs/formats/queue-sqlite.md"), "utf8");
const golden = join(repositoryRoot, "docs/formats/queue-sqlite.sql");

let sandbox: Sandbox;
let db: Database.Database;
beforeAll(async () => {
  sandbox = await createSandbox();
  const file = join(sandbox.folder, "queue.db");
  await openSqliteQueueStore({ file })[Symbol.asyncDispose]();
  db = new Database(file, { readonly: true });
});
afterAll(() => {
  db.close();
  sandbox.remove();
});

describe("docs/formats/queue-sqlite", () => {
  test("the schema is that of a fresh file (after a new step: vitest -u)", async () => {
    await expect(schemaText()).toMatchFileSnapshot(golden);
  });

  test("the page names every table and every column, and no others", () => {
    const columns = db.prepare("select name from pragma_table_info(?)").pluck();
    const real = tables().map((table) => [table, new Set(columns.all(table) as string[])]);
    const described = sections().map(([table, text]) => [table, namesIn(table, text)]);
    expect(new Map(described as [string, Set<string>][])).toEqual(
      new Map(real as [string, Set<string>][]),
    );
  });

  test("the page says which number the format has", () => {
    const version = db.pragma("user_version", { simple: true }) as number;
    expect(page).toContain(`\`user_version\` the number of the format, now ${version}.`);
  });
});

const tables = () =>
  db
    .prepare(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by 1",
    )
    .pluck()
    .all() as string[];

/** Each table with its indexes below it, as SQLite keeps them, without our indentation. */
function schemaText(): string {
  const rows = db
    .prepare(
      `select sql from sqlite_master where sql is not null
         and name not like 'sqlite_%' order by tbl_name, type desc, name`,
    )
    .all() as { readonly sql: string }[];
  const number = (name: string) => db.pragma(name, { simple: true }) as number;
  return [
    `pragma application_id = ${number("application_id")};`,
    `pragma user_version = ${number("user_version")};`,
    ...rows.map(({ sql }) => `${sql.replaceAll(/\n {2}/g, "\n")};`),
    "",
  ].join("\n");
}

/** `### task` and what follows it, up to the next heading. */
function sections(): readonly (readonly [string, string])[] {
  return page
    .split(/^### /m)
    .slice(1)
    .map((text): [string, string] => {
      const end = text.indexOf("\n");
      return [text.slice(0, end), text.slice(end)];
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The columns a section describes: the first cell of its rows, or, without a table, its words. */
function namesIn(table: string, text: string): ReadonlySet<string> {
  const rows = text.split("\n").filter((line) => line.startsWith("| `"));
  const cells = rows.map((line) => line.split("|")[1] ?? "");
  const quoted = [...cells.join(" ").matchAll(/`(\w+)`/g)].map(([, name]) => name!);
  if (rows.length > 0) return new Set(quoted);
  const inline: Readonly<Record<string, readonly string[]>> = {
    meta: ["name", "value"],
    wait: ["kind", "bucket", "count"],
    opener: ["pid", "boot"],
  };
  return new Set((inline[table] ?? []).filter((name) => text.includes(`\`${name}\``)));
}
