// needs: postgres
import { needs } from "../../../../test/support/services.ts";
import type { StoreNow } from "../../queue-store.ts";
import { queueSuite } from "../../testing/queue-suite.ts";
import { openPostgresQueueStore } from "./postgres-queue-store.ts";
import { createTcpGap } from "./testing/tcp-gap.ts";
import { createTestSchema } from "./testing/test-schema.ts";

needs(["postgres"], ({ postgres }) => {
  queueSuite({
    name: "postgres",
    open: async ({ now }) => {
      const schema = await createTestSchema(postgres.url);
      const gap = await createTcpGap(postgres.url);
      const open = (name: string, at: () => StoreNow) =>
        openPostgresQueueStore({ url: gap.url, schema: name, now: at, connectMs: 2_000 });
      const store = await open(schema.name, now);
      return {
        store: {
          ...store,
          [Symbol.asyncDispose]: async () => {
            await store[Symbol.asyncDispose]();
            await gap[Symbol.asyncDispose]();
            await schema[Symbol.asyncDispose]();
          },
        },
        openAnother: () => open(schema.name, now),
        backUp: async () => {
          const copy = await schema.copy();
          return { restore: () => open(copy, now) };
        },
        cutOff: async () => {
          await gap.cut();
          return { reconnect: () => gap.mend() };
        },
      };
    },
  });
});
