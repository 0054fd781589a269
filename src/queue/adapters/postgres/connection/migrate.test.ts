// needs: postgres
import pg from "pg";
import { expect, test } from "vitest";
import { needs } from "../../../../../test/support/services.ts";
import type { Claimed } from "../../../operation.ts";
import type { QueueStore } from "../../../queue-store.ts";
import { readPlace } from "./connection-options.ts";
import { openDatabase } from "./database.ts";
import { finishUpgrade, migrate } from "./migrate.ts";
import { openPostgresQueueStore } from "../postgres-queue-store.ts";
import { steps } from "./schema.ts";
import { createTestSchema, type TestSchema } from "../testing/test-schema.ts";

/** A step as a later version may have it: it takes nothing away, and fills what it adds. */
const next = ["alter table @task add column note text not null default ''"] as const;

/** All that a node does, on tasks of its own. */
async function work(store: QueueStore, key: string): Promise<void> {
  const task = { kind: key, job: "default", gate: "", payload: "null", attemptsMax: 3 };
  await store.commit([{ op: "add", tasks: [{ ...task, key, priority: 500, dueAtMs: 0 }] }]);
  const request = { worker: key, kinds: [key], limit: 1, burst: 1, leaseMs: 60_000 };
  const [claimed] = await store.commit([{ op: "claim", ...request, requestId: key }]);
  const [lease] = (claimed as Claimed).leases;
  expect(lease).toMatchObject({ key });
  const { id, token } = lease!;
  const finishes = [{ id, token, outcome: { kind: "done" as const, result: null } }];
  expect(await store.commit([{ op: "finish", finishes }])).toMatchObject([[{ status: "done" }]]);
  await store.commit([{ op: "sweep" }]);
}

needs(["postgres"], ({ postgres }) => {
  /** What a node of a later version does when it starts. */
  async function upgrade(
    schema: TestSchema,
    later: readonly string[],
    { isFinished = false } = {},
  ): Promise<void> {
    const place = readPlace(postgres.url, { schema: schema.name });
    const limits = { statementMs: 10_000, lockMs: 5_000, connectMs: 5_000 };
    const db = openDatabase({ place, connectionsMax: 3, idleMax: 2, names: "auto", ...limits });
    try {
      await migrate(db, [...steps, ...later]);
      if (isFinished) await finishUpgrade(db);
    } finally {
      await db.close();
    }
  }
  const version = async (schema: TestSchema) => {
    const sql = `select value::int as value from ${schema.quoted}.meta where name = 'version'`;
    return (await schema.query<{ value: number }>(sql))[0]?.value;
  };

  test("many nodes that start at once make the tables once", async () => {
    await using schema = await createTestSchema(postgres.url);
    const options = { url: postgres.url, schema: schema.name };
    const stores = await Promise.all(
      Array.from({ length: 8 }, () => openPostgresQueueStore(options)),
    );
    for (const store of stores) expect((await store.counts()).lanes).toBe(0);
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
    await schema.query(`update ${schema.quoted}.meta set value = '99'`);
    await expect(openPostgresQueueStore(options)).rejects.toMatchObject({
      kind: "invalid",
      code: "queue_too_new",
      message: expect.stringContaining("upgrade this program"),
    });
  });

  test("E11: nodes of a version before continue with what the next one made, all together", async () => {
    await using schema = await createTestSchema(postgres.url);
    const options = { url: postgres.url, schema: schema.name };
    const old = await openPostgresQueueStore(options);
    await work(old, "before");
    await upgrade(schema, next);
    await work(old, "running"); // it was open when the tables changed
    const late = await openPostgresQueueStore(options);
    await work(late, "opened"); // a node that comes back with the version before
    await upgrade(schema, [...next, "alter table @task add column other text"]); // two versions later
    await work(late, "later");
    expect(await version(schema)).toBe(steps.length + 2);
    const notes = await schema.query(`select distinct note from ${schema.quoted}.task`);
    expect(notes).toEqual([{ note: "" }]);
    expect(await late.reconcile({ repair: false })).toMatchObject({ drift: [], orphans: 0 });
    for (const store of [old, late]) await store[Symbol.asyncDispose]();
  });

  test("E11: once the upgrade is finished, the version before is refused", async () => {
    await using schema = await createTestSchema(postgres.url);
    const options = { url: postgres.url, schema: schema.name };
    const old = await openPostgresQueueStore(options);
    expect(await old.format()).toEqual({ format: steps.length, readableBy: steps.length });
    await upgrade(schema, next);
    const format = steps.length + 1;
    expect(await old.format()).toEqual({ format, readableBy: steps.length });
    await upgrade(schema, next, { isFinished: true });
    expect(await old.format()).toEqual({ format, readableBy: format });
    await expect(openPostgresQueueStore(options)).rejects.toMatchObject({ code: "queue_too_new" });
    await old[Symbol.asyncDispose]();
  });

  test("E11: a queue of version 1 keeps its tasks, and has a log from then on", async () => {
    await using schema = await createTestSchema(postgres.url);
    const options = { url: postgres.url, schema: schema.name };
    const old = await openPostgresQueueStore(options);
    await work(old, "before");
    await old[Symbol.asyncDispose]();
    await schema.query(`drop table ${schema.quoted}.log, ${schema.quoted}.kept_key`);
    await schema.query(`alter table ${schema.quoted}.job_counter drop column requests`);
    // As version 1 noted it.
    await schema.query(`update ${schema.quoted}.meta set value = '1' where name = 'version'`);
    await schema.query(`update ${schema.quoted}.meta set value = '0' where name = 'usable_from'`);
    const store = await openPostgresQueueStore(options);
    expect(await store.format()).toEqual({ format: 3, readableBy: 0 });
    await work(store, "after");
    const filter = { states: ["done"] } as const;
    const purge = { op: "purge", filter, rowsMax: 10, keepKeys: true } as const;
    expect(await store.commit([purge])).toEqual([{ changed: 2, hasMore: false }]);
    expect(await store.logStats()).toMatchObject({ entries: 2, keptKeys: 2 });
    expect(await store.reconcile({ repair: false })).toMatchObject({ drift: [], orphans: 0 });
    await store[Symbol.asyncDispose]();
  });

  test("old and new nodes that start at once make each step once", async () => {
    await using schema = await createTestSchema(postgres.url);
    const options = { url: postgres.url, schema: schema.name };
    await upgrade(schema, []);
    const starts = Array.from({ length: 4 }, () => [
      upgrade(schema, next),
      openPostgresQueueStore(options),
    ]);
    const opened = await Promise.all(starts.flat());
    expect(await version(schema)).toBe(steps.length + 1);
    for (const store of opened) if (store) await store[Symbol.asyncDispose]();
  });

  test("a step that fails leaves everything as it was, and the next try makes it", async () => {
    await using schema = await createTestSchema(postgres.url);
    await upgrade(schema, []);
    const broken = [...next, "create table @other (x int); select 1/0"];
    await expect(upgrade(schema, broken)).rejects.toMatchObject({ kind: "unavailable" });
    expect(await version(schema)).toBe(steps.length);
    const columns = "select 1 from information_schema.columns where table_schema = $1";
    const note = await schema.query(`${columns} and column_name = 'note'`, [schema.name]);
    expect(note).toEqual([]);
    await upgrade(schema, next);
    expect(await version(schema)).toBe(steps.length + 1);
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
