// needs: pgbouncer
// long: pooler
import { expect, test } from "vitest";
import { needs } from "../../../../test/support/services.ts";
import { sleep, systemClock } from "../../../base/clock.ts";
import { createTestClock } from "../../../base/testing/test-clock.ts";
import type { Operation } from "../../operation.ts";
import { readPlace } from "./connection/connection-options.ts";
import { openDatabase, type OpenDatabase } from "./connection/database.ts";
import { openPostgresQueueStore } from "./postgres-queue-store.ts";
import type { NamesMode } from "./connection/names-mode.ts";
import { createTestSchema } from "./testing/test-schema.ts";

const limits = { statementMs: 10_000, lockMs: 5_000, connectMs: 5_000 };
const open = (url: string, names: NamesMode): OpenDatabase =>
  openDatabase({ place: readPlace(url), names, connectionsMax: 10, idleMax: 10, ...limits });

const countPrepared = async (db: OpenDatabase) => {
  await db.query("select $1::int as one", [1]);
  const [row] = await db.query<{ count: number }>(
    "select count(*) as count from pg_prepared_statements where name <> ''",
  );
  return row!.count;
};

const addOne = (key: string): Operation => ({
  op: "add",
  tasks: [
    {
      kind: "work",
      job: "default",
      gate: "",
      payload: "null",
      attemptsMax: 3,
      key,
      priority: 500,
      dueAtMs: 0,
    },
  ],
});

needs(["pgbouncer"], ({ pgbouncer }) => {
  test("statements have names on a direct way, and none where that is asked for", async () => {
    const named = open(pgbouncer.directUrl, "auto");
    expect(await countPrepared(named)).toBeGreaterThan(0);
    await named.close();
    const unnamed = open(pgbouncer.directUrl, "never");
    expect(await countPrepared(unnamed)).toBe(0);
    await unnamed.close();
  });

  test("behind a pooler prepared statements are given up automatically, without an error", async () => {
    const dbs = [open(pgbouncer.url, "auto"), open(pgbouncer.url, "auto")];
    // Held open, a transaction keeps its session, so that the others get different ones.
    const round = (db: OpenDatabase) =>
      db.transaction(async (session) => {
        const [row] = await session.query<{ one: number }>("select $1::int as one", [1]);
        await session.query("select pg_sleep(0.02)");
        return row!.one;
      });
    for (let turn = 0; turn < 4; turn++) {
      const answers = await Promise.all(dbs.flatMap((db) => [round(db), round(db), round(db)]));
      expect(answers).toEqual(Array.from(answers, () => 1));
    }
    for (const db of dbs) await db.close();
  });

  test("behind a pooler no notification arrives: it polls", async () => {
    await using schema = await createTestSchema(pgbouncer.directUrl);
    const options = { url: pgbouncer.url, schema: schema.name };
    const store = await openPostgresQueueStore(options);
    const clock = createTestClock();
    const deaf = await openPostgresQueueStore({ ...options, clock });
    let heard = 0;
    deaf.watch(() => void (heard += 1));
    await expect.poll(() => heard).toBeGreaterThan(0);
    const start = heard;
    await clock.advance(5_000);
    expect(heard).toBeGreaterThanOrEqual(start + 5);
    await sleep(systemClock, 500); // it tried to listen again meanwhile, and calls when it does
    const before = heard;
    await store.commit([addOne("a")]);
    await sleep(systemClock, 500);
    expect(heard).toBe(before);
    await clock.advance(1_000);
    expect(heard).toBeGreaterThan(before);
    await store[Symbol.asyncDispose]();
    await deaf[Symbol.asyncDispose]();
  });

  test("behind a pooler with a direct connection for the listener, notifications arrive at once", async () => {
    await using schema = await createTestSchema(pgbouncer.directUrl);
    const options = { url: pgbouncer.url, schema: schema.name };
    const store = await openPostgresQueueStore(options);
    const listenUrl = pgbouncer.directUrl;
    // Its clock stands still: it never polls.
    const other = await openPostgresQueueStore({ ...options, listenUrl, clock: createTestClock() });
    let heard = 0;
    other.watch(() => void (heard += 1));
    await expect.poll(() => heard).toBeGreaterThan(0);
    for (const key of ["a", "b", "c"]) {
      const before = heard;
      await store.commit([addOne(key)]);
      await expect.poll(() => heard).toBeGreaterThan(before);
    }
    await store[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });
});
