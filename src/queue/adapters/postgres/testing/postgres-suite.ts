import { afterAll } from "vitest";
import type { StoreNow } from "../../../queue-store.ts";
import { queueSuite } from "../../../testing/queue-suite.ts";
import { openPostgresQueueStore } from "../postgres-queue-store.ts";
import { createLentSchemas } from "./lent-schemas.ts";
import { createTcpGap } from "./tcp-gap.ts";

export interface PostgresSuiteOptions {
  readonly name: string;
  /** The address that the queue uses. */
  readonly url: string;
  /** The address without a pooler, for the suite's own queries. */
  readonly directUrl?: string;
}

/** The conformance suite. Each clause has its own schema, and a connection that can be cut. */
export function postgresSuite({ name, url, directUrl = url }: PostgresSuiteOptions): void {
  const schemas = createLentSchemas(directUrl);
  afterAll(() => schemas[Symbol.asyncDispose]());
  queueSuite({
    name,
    open: async ({ now }) => {
      const schema = await schemas.lend();
      const gap = await createTcpGap(url);
      const open = (at: string, moment: () => StoreNow) =>
        openPostgresQueueStore({ url: gap.url, schema: at, now: moment, connectMs: 2_000 });
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
}
