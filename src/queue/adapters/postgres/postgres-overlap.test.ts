// needs: postgres
// inputs: src/queue/** src/base/**
import pg from "pg";
import { expect, test } from "vitest";
import { needs } from "../../../../test/support/services.ts";
import { keysOf, openFixture, works } from "../../testing/suite-fixture.ts";
import { createSuiteTime } from "../../testing/suite-time.ts";
import { openPostgresQueueStore } from "./postgres-queue-store.ts";
import { createTestSchema } from "./testing/test-schema.ts";

needs(["postgres"], ({ postgres }) => {
  async function setUp() {
    const schema = await createTestSchema(postgres.url);
    const time = createSuiteTime();
    const open = () =>
      openPostgresQueueStore({
        url: postgres.url,
        schema: schema.name,
        now: time.now,
        lockMs: 500,
      });
    const at = await openFixture(async () => ({ store: await open(), openAnother: open }), time);
    return {
      ...at,
      schema,
      async [Symbol.asyncDispose]() {
        await at[Symbol.asyncDispose]();
        await schema[Symbol.asyncDispose]();
      },
    };
  }

  test("a claim skips what another is taking, and does not wait", async () => {
    await using at = await setUp();
    const other = new pg.Client({ connectionString: postgres.url });
    await other.connect();
    // The first claim of a store looks closer than those that follow.
    for (const name of ["a", "b"]) {
      await at.add(...works(name, 4));
      await other.query("begin");
      await other.query(
        `select 1 from ${at.schema.quoted}.task where key = any($1) for no key update`,
        [[`${name}0`, `${name}1`]],
      );
      expect(keysOf(await at.claim({ limit: 2 }))).toEqual([`${name}2`, `${name}3`]);
      await other.query("rollback");
      expect(keysOf(await at.claim())).toEqual([`${name}0`, `${name}1`]);
    }
    await other.end();
  });

  test("of finishes that overlap, none is lost or counted twice", async () => {
    await using at = await setUp();
    await at.add(...works("a", 300));
    const claimed = await Promise.all(
      ["w1", "w2", "w3"].map((worker) => at.claim({ worker, limit: 100 })),
    );
    const leases = claimed.flat();
    expect(new Set(keysOf(leases)).size).toBe(300);
    // One by one, over several turns; a few of them again while the first is still under way.
    const statuses: Promise<string>[] = [];
    for (const [index, lease] of leases.entries()) {
      statuses.push(at.finish(lease));
      if (index % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
      if (index % 50 === 0) statuses.push(at.finish(lease));
    }
    expect(new Set(await Promise.all(statuses))).toEqual(new Set(["done"]));
    expect((await at.queue.stats()).states).toMatchObject({ done: 300, running: 0, pending: 0 });
    expect(await at.queue.reconcile()).toEqual({ drift: [], orphans: 0, repaired: false });
    const [open] = await at.schema.query<{ count: number }>(
      `select count(*)::int as count from ${at.schema.quoted}.claim where is_open or open <> 0`,
    );
    expect(open).toEqual({ count: 0 });
  });

  test("a finish between a cancel and the sweep after it is lost", async () => {
    await using at = await setUp();
    await at.add(...works("a", 2, { job: "j" }));
    const leases = await at.claim();
    // The state that a canceller leaves if it dies right after.
    await at.schema.query(
      `update ${at.schema.quoted}.job set ended = 'cancelled', has_rest = true where name = 'j'`,
    );
    expect(await at.finish(leases[0]!)).toBe("lost");
    expect(await at.find("a0")).toMatchObject({ state: "running" });
  });
});
