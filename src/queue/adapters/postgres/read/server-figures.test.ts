// needs: postgres
import { expect, test } from "vitest";
import { needs } from "../../../../../test/support/services.ts";
import { openPostgresQueueStore } from "../postgres-queue-store.ts";
import { createTestSchema } from "../testing/test-schema.ts";

needs(["postgres"], ({ postgres }) => {
  test("connections used of allowed, size, dead rows, cache hits and the longest transaction", async () => {
    await using schema = await createTestSchema(postgres.url);
    await using store = await openPostgresQueueStore({ url: postgres.url, schema: schema.name });
    const figures = (await store.server!())!;
    expect(figures.connectionsUsed).toBeGreaterThan(0);
    expect(figures.connectionsUsed).toBeLessThanOrEqual(figures.connectionsMax);
    expect(figures.databaseBytes).toBeGreaterThan(1_000_000);
    expect(figures.deadRows).toBeGreaterThanOrEqual(0);
    expect(figures.cacheHitShare).toBeGreaterThan(0);
    expect(figures.cacheHitShare).toBeLessThanOrEqual(1);
    expect(figures.longestTransactionMs).toBeGreaterThanOrEqual(0);
  });
});
