// needs: postgres
// inputs: src/queue/** src/base/**
// long: chaos
import { afterAll, beforeAll, expect, test } from "vitest";
import { needs } from "../../../../test/support/services.ts";
import { raceSuite } from "../../testing/race.ts";
import { createTestSchema, type TestSchema } from "./testing/test-schema.ts";

const isLong = process.env["FORAGER_TEST_LONG"] === "1";

needs(["postgres"], ({ postgres }) => {
  let schema: TestSchema;
  let deadlocksBefore = 0;
  const deadlocks = async () => {
    const [row] = await schema.query<{ count: number }>(
      `select deadlocks::int as count from pg_stat_database
       where datname = current_database()`,
    );
    return row?.count ?? 0;
  };
  beforeAll(async () => {
    schema = await createTestSchema(postgres.url);
    deadlocksBefore = await deadlocks();
  });
  afterAll(async () => schema[Symbol.asyncDispose]());

  raceSuite({
    name: "postgres",
    store: () => ({
      module: new URL("postgres-queue-store.ts", import.meta.url).href,
      open: "openPostgresQueueStore",
      options: { url: postgres.url, schema: schema.name },
    }),
    processes: 8,
    chaosMs: isLong ? 120_000 : 3_000,
    tasks: isLong ? 2_000 : 80,
  });

  test("lesson 15: nobody ran into a deadlock", async () => {
    expect((await deadlocks()) - deadlocksBefore).toBe(0);
  });
});
