// needs: postgres
import pg from "pg";
import { expect, test } from "vitest";
import { needs } from "../../../../test/support/services.ts";
import { openPostgresQueueStore } from "./postgres-queue-store.ts";
import { steps } from "./schema.ts";
import { createTestSchema } from "./testing/test-schema.ts";

needs(["postgres"], ({ postgres }) => {
  test("many nodes that start at once make the tables once", async () => {
    await using schema = await createTestSchema(postgres.url);
    const options = { url: postgres.url, schema: schema.name };
    const stores = await Promise.all(
      Array.from({ length: 8 }, () => openPostgresQueueStore(options)),
    );
    for (const store of stores) expect((await store.overview()).lanes).toEqual([]);
    const version = await schema.query<{ value: string }>(
      `select value from ${pg.escapeIdentifier(schema.name)}.meta where name = 'version'`,
    );
    expect(version).toEqual([{ value: String(steps.length) }]);
    for (const store of stores) await store[Symbol.asyncDispose]();
  });

  test("tables of a newer version are refused, and say what to do", async () => {
    await using schema = await createTestSchema(postgres.url);
    const options = { url: postgres.url, schema: schema.name };
    await (await openPostgresQueueStore(options))[Symbol.asyncDispose]();
    await schema.query(`update ${pg.escapeIdentifier(schema.name)}.meta set value = '99'`);
    await expect(openPostgresQueueStore(options)).rejects.toMatchObject({
      kind: "invalid",
      code: "queue_too_new",
      message: expect.stringContaining("update this node"),
    });
  });

  test.for([`quote"s and 'quotes'`, "Größe", "@job", "a; drop schema public", "x".repeat(63)])(
    "a schema may be called %s",
    async (suffix) => {
      await using schema = await createTestSchema(postgres.url, suffix);
      const store = await openPostgresQueueStore({ url: postgres.url, schema: schema.name });
      await store.commit([{ op: "setGate", gate: "g", limit: 3 }]);
      expect(await store.gate("g")).toMatchObject({ limit: 3 });
      await store[Symbol.asyncDispose]();
    },
  );
});
