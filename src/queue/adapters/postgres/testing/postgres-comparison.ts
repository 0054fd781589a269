import { afterAll } from "vitest";
import { modelComparison, type ModelComparisonOptions } from "../../../testing/model-comparison.ts";
import { openPostgresQueueStore, type PostgresQueueStoreOptions } from "../postgres-queue-store.ts";
import { createLentSchemas } from "./lent-schemas.ts";

export interface PostgresComparisonOptions extends Omit<ModelComparisonOptions, "storage"> {
  /** The address that the queue uses. */
  readonly url: string;
  /** The address without a pooler, for the comparison's own queries. */
  readonly directUrl?: string;
  readonly store?: Pick<PostgresQueueStoreOptions, "lazy" | "connectionsMax">;
}

/** Random histories on the store and on the model, each in an empty schema. */
export function postgresComparison(options: PostgresComparisonOptions): void {
  const { url, directUrl = url, store, ...comparison } = options;
  const schemas = createLentSchemas(directUrl);
  afterAll(() => schemas[Symbol.asyncDispose]());
  modelComparison({
    ...comparison,
    storage: async (now) => {
      const schema = await schemas.lend();
      return {
        open: () => openPostgresQueueStore({ url, schema: schema.name, now, ...store }),
        [Symbol.asyncDispose]: () => schema[Symbol.asyncDispose](),
      };
    },
  });
}
