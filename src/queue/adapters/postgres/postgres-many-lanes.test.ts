// needs: postgres
// inputs: src/queue/** src/base/**
import { afterAll } from "vitest";
import { needs } from "../../../../test/support/services.ts";
import { manyLanesSuite } from "../../testing/many-lanes-suite.ts";
import { openPostgresQueueStore } from "./postgres-queue-store.ts";
import { createTestSchema, type TestSchema } from "./testing/test-schema.ts";

needs(["postgres"], ({ postgres }) => {
  let schema: TestSchema | undefined;
  afterAll(() => schema?.[Symbol.asyncDispose]());
  manyLanesSuite({
    name: "postgres",
    async open() {
      schema = await createTestSchema(postgres.url);
      return openPostgresQueueStore({ url: postgres.url, schema: schema.name });
    },
  });
});
