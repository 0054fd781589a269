// needs: postgres15
import { needs } from "../../../../test/support/services.ts";
import { modelComparison, parseReplay } from "../../testing/model-comparison.ts";
import { openPostgresQueueStore } from "./postgres-queue-store.ts";
import { postgresSuite } from "./testing/postgres-suite.ts";
import { createTestSchema } from "./testing/test-schema.ts";

const isLong = process.env["FORAGER_TEST_LONG"] === "1";

needs(["postgres15"], ({ postgres15 }) => {
  postgresSuite({ name: "postgres 15", url: postgres15.url });

  modelComparison({
    name: "postgres 15",
    storage: async (now) => {
      const schema = await createTestSchema(postgres15.url);
      return {
        open: () => openPostgresQueueStore({ url: postgres15.url, schema: schema.name, now }),
        [Symbol.asyncDispose]: () => schema[Symbol.asyncDispose](),
      };
    },
    timeLimitMs: isLong ? 300_000 : 5_000,
    replay: parseReplay(process.env["FORAGER_TEST_REPLAY"]),
  });
});
