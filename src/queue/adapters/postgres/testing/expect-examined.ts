import { expect } from "vitest";
import { examinePostgres } from "../read/examine.ts";
import { createTestSchema } from "./test-schema.ts";

/**
 * Expects what `examinePostgres` reports about a test server, and that it creates nothing there.
 */
export async function expectExamined(url: string, major: number): Promise<void> {
  await using schema = await createTestSchema(url);
  const facts = await examinePostgres({ url, schema: schema.name });
  expect(Math.floor(facts.version / 10_000)).toBe(major);
  expect(facts).toMatchObject({
    isReadOnly: false,
    canMake: true,
    tables: undefined,
    settings: { fsync: "on", synchronousCommit: "on", autovacuum: "on", connectionsMax: 200 },
    hearsOthers: true,
  });
  const made = await schema.query("select 1 from pg_namespace where nspname = $1", [schema.name]);
  expect(made).toEqual([]);
}
