// needs: postgres
import { needs } from "../../../../test/support/services.ts";
import type { StoreNow } from "../../queue-store.ts";
import {
  modelComparison,
  parseReplay,
  type ComparedStorage,
} from "../../testing/model-comparison.ts";
import { openPostgresQueueStore } from "./postgres-queue-store.ts";
import { createTestSchema } from "./testing/test-schema.ts";

const isLong = process.env["FORAGER_TEST_LONG"] === "1";

needs(["postgres"], ({ postgres }) => {
  async function postgresStorage(now: () => StoreNow): Promise<ComparedStorage> {
    const schema = await createTestSchema(postgres.url);
    const options = { url: postgres.url, schema: schema.name, now };
    return {
      open: () => openPostgresQueueStore({ ...options, lazy: ["add", "claim", "finish"] }),
      [Symbol.asyncDispose]: () => schema[Symbol.asyncDispose](),
    };
  }

  modelComparison({
    name: "postgres",
    storage: postgresStorage,
    timeLimitMs: isLong ? 600_000 : 90_000,
    replay: parseReplay(process.env["FORAGER_TEST_REPLAY"]),
  });
});
