// needs: postgres15 pgbouncer
// inputs: src/queue/** src/base/**
// long: postgres15
import { afterAll, beforeAll } from "vitest";
import { needs } from "../../../../test/support/services.ts";
import { raceSuite } from "../../testing/race.ts";
import { createTestSchema, type TestSchema } from "./testing/test-schema.ts";

const isLong = process.env["FORAGER_TEST_LONG"] === "1";

needs(["postgres15", "pgbouncer"], ({ postgres15, pgbouncer }) => {
  const ways = [
    { name: "postgres 15", url: postgres15.url, directUrl: postgres15.url },
    { name: "postgres by way of pgbouncer", ...pgbouncer },
  ];
  for (const { name, url, directUrl } of ways) {
    let schema: TestSchema;
    beforeAll(async () => {
      schema = await createTestSchema(directUrl);
    });
    afterAll(async () => schema[Symbol.asyncDispose]());

    raceSuite({
      name,
      store: () => ({
        module: new URL("postgres-queue-store.ts", import.meta.url).href,
        open: "openPostgresQueueStore",
        options: { url, schema: schema.name },
      }),
      processes: 4,
      chaosMs: isLong ? 60_000 : 14_000,
      tasks: isLong ? 1_000 : 100,
    });
  }
});
