// needs: postgres
// inputs: scripts/services/** src/queue/** src/base/**
import pg from "pg";
import { expect, test } from "vitest";
import { startOwnPostgres } from "../../../../../test/support/own-postgres.ts";
import { needs } from "../../../../../test/support/services.ts";
import { sleep, systemClock } from "../../../../base/clock.ts";
import { createId } from "../../../../base/ids.ts";
import { systemRandom } from "../../../../base/random.ts";
import { readPlace } from "./connection-options.ts";
import { openDatabase } from "./database.ts";
import { openPostgresQueueStore } from "../postgres-queue-store.ts";
import { createTestSchema } from "../testing/test-schema.ts";

const limits = { statementMs: 20_000, lockMs: 5_000, connectMs: 10_000, names: "auto" } as const;

/** How many sessions of this name the server has, as another session sees it. */
async function watchSessions(url: string, name: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    async count() {
      const { rows } = await client.query<{ count: number }>(
        "select count(*)::int as count from pg_stat_activity where application_name = $1",
        [name],
      );
      return rows[0]!.count;
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

const named = (url: string) => {
  const name = `pool ${createId(systemRandom)}`;
  return { name, place: readPlace(`${url}?application_name=${encodeURIComponent(name)}`) };
};

needs(["postgres"], ({ postgres }) => {
  test("A4: by default never more than 70 sessions, of which 20 stay when all is quiet", async () => {
    const { name } = named(postgres.url);
    await using schema = await createTestSchema(postgres.url);
    await using sessions = await watchSessions(postgres.url, name);
    const url = `${postgres.url}?application_name=${encodeURIComponent(name)}`;
    const store = await openPostgresQueueStore({ url, schema: schema.name });
    await schema.query("begin");
    await schema.query(`lock table ${schema.quoted}.job in access exclusive mode`);
    const reads = Array.from({ length: 120 }, () => store.job("j"));
    await expect.poll(() => sessions.count()).toBeGreaterThan(60);
    expect(await sessions.count()).toBeLessThanOrEqual(70);
    const busy = store.connections!();
    expect(busy.max).toBeLessThan(70);
    expect(busy.active).toBeGreaterThan(50);
    expect(busy.waiting).toBeGreaterThanOrEqual(120 - busy.max);
    await schema.query("rollback");
    await Promise.all(reads);
    await expect.poll(() => sessions.count()).toBeLessThanOrEqual(20);
    expect(await sessions.count()).toBeGreaterThan(0);
    expect(store.connections!()).toMatchObject({ active: 0, waiting: 0 });
    expect(store.connections!().idle).toBeGreaterThan(0);
    await store[Symbol.asyncDispose]();
  });

  test("A4: a small server keeps 20 connections for others", async () => {
    await using server = await startOwnPostgres({ settings: ["max_connections=30"] });
    const { name, place } = named(server.url);
    await using sessions = await watchSessions(server.url, name);
    const db = openDatabase({ place, connectionsMax: 70, idleMax: 20, ...limits });
    const naps = Array.from({ length: 40 }, () => db.query("select pg_sleep(0.3)"));
    let most = 0;
    const looking = Promise.all(naps).then(() => "done");
    while ((await Promise.race([looking, sessions.count()])) !== "done") {
      most = Math.max(most, await sessions.count());
    }
    expect(most).toBeGreaterThan(4);
    expect(most).toBeLessThanOrEqual(9); // and one is the listener's
    await db.close();
  });

  test("C2: a process at work opens its sessions once", async () => {
    const { place } = named(postgres.url);
    const db = openDatabase({ place, connectionsMax: 70, idleMax: 20, ...limits });
    for (let round = 0; round < 100; round++) {
      await Promise.all([db.query("select 1"), db.transaction((one) => one.query("select 2"))]);
    }
    expect(db.sessions()).toBeLessThanOrEqual(2);
    await db.close();
  });

  test("lesson 28: maintenance has a session when all others are busy", async () => {
    await using schema = await createTestSchema(postgres.url);
    const options = { url: postgres.url, schema: schema.name, connectionsMax: 3, connectMs: 500 };
    const store = await openPostgresQueueStore(options);
    await store.commit([{ op: "setGate", gate: "g", limit: 2 }]);
    await schema.query("begin");
    await schema.query(`select 1 from ${schema.quoted}.gate for update`);
    const held = store.commit([{ op: "setGate", gate: "g", limit: 3 }]);
    await expect(store.job("j")).rejects.toMatchObject({
      kind: "unavailable",
      code: "queue_pool_exhausted",
      message: expect.stringContaining("queue.postgres.poolMax"),
    });
    expect(await store.commit([{ op: "sweep" }])).toMatchObject([{ hasMore: false }]);
    await schema.query("rollback");
    await held;
    expect(await store.gate("g")).toMatchObject({ limit: 3 });
    await store[Symbol.asyncDispose]();
  });

  test("a session that breaks gives its place back", async () => {
    const { name, place } = named(postgres.url);
    const db = openDatabase({ place, idleMax: 2, ...limits, connectionsMax: 3, connectMs: 1_000 });
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    for (let round = 0; round < 6; round++) {
      let isOver = false;
      const nap = db.transaction((session) => session.query("select pg_sleep(9)"));
      const end = nap.catch(() => {}).finally(() => (isOver = true));
      // It is tried once more, on a new session, which has to break too.
      while (!isOver) {
        await client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where application_name = $1 and query like '%pg_sleep%'`,
          [name],
        );
        await sleep(systemClock, 10);
      }
      await end;
      expect(await db.query("select 1 as one")).toEqual([{ one: 1 }]);
    }
    await client.end();
    await db.close();
  });

  test("a statement that takes too long is given up, on the server too", async () => {
    await using schema = await createTestSchema(postgres.url);
    const options = { url: postgres.url, schema: schema.name, statementMs: 300 };
    const store = await openPostgresQueueStore(options);
    await schema.query("begin");
    await schema.query(`lock table ${schema.quoted}.task in access exclusive mode`);
    await expect(store.browse({ afterId: 0, limit: 10 })).rejects.toMatchObject({
      kind: "unavailable",
      code: "queue_busy",
    });
    // The answer is on its way before the server has cleaned up; without a limit it would wait on.
    const waiting = () =>
      schema.query("select 1 from pg_locks where not granted and relation = $1::regclass", [
        `${schema.quoted}.task`,
      ]);
    await expect.poll(waiting).toEqual([]);
    await schema.query("rollback");
    expect(await store.browse({ afterId: 0, limit: 10 })).toEqual([]);
    await store[Symbol.asyncDispose]();
  });
});
