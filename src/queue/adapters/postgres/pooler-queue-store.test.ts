// needs: pgbouncer
import { needs } from "../../../../test/support/services.ts";
import { modelComparison, parseReplay } from "../../testing/model-comparison.ts";
import { openPostgresQueueStore } from "./postgres-queue-store.ts";
import { postgresSuite } from "./testing/postgres-suite.ts";
import { createTestSchema } from "./testing/test-schema.ts";

const isLong = process.env["FORAGER_TEST_LONG"] === "1";

needs(["pgbouncer"], ({ pgbouncer }) => {
  const { url, directUrl } = pgbouncer;
  postgresSuite({ name: "postgres by way of pgbouncer", url, directUrl });

  // The suite is the proof; random histories take a minute more than npm test has for them.
  if (!isLong) return;
  modelComparison({
    name: "postgres by way of pgbouncer",
    storage: async (now) => {
      const schema = await createTestSchema(directUrl);
      return {
        open: () => openPostgresQueueStore({ url, schema: schema.name, now }),
        [Symbol.asyncDispose]: () => schema[Symbol.asyncDispose](),
      };
    },
    timeLimitMs: 300_000,
    replay: parseReplay(process.env["FORAGER_TEST_REPLAY"]),
  });
});
