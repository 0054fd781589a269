// needs: postgres
import { expect, onTestFinished, test, vi } from "vitest";
import { needs } from "../../../../../test/support/services.ts";
import { createId } from "../../../../base/ids.ts";
import { systemRandom } from "../../../../base/random.ts";
import { createTestClock } from "../../../../base/testing/test-clock.ts";
import { examinePostgres } from "./examine.ts";
import { openPostgresQueueStore } from "../postgres-queue-store.ts";
import { steps } from "../connection/schema.ts";
import { expectExamined } from "../testing/expect-examined.ts";
import { createTestSchema } from "../testing/test-schema.ts";

needs(["postgres"], ({ postgres }) => {
  test("looks at the server, and makes nothing", async () => {
    await expectExamined(postgres.url, 18);
  });

  test("sees the tables, their dead rows, and that others may not use them", async () => {
    await using schema = await createTestSchema(postgres.url);
    const options = { url: postgres.url, schema: schema.name };
    await (await openPostgresQueueStore(options))[Symbol.asyncDispose]();
    // Else the server may tidy up before anyone has looked.
    await schema.query(`alter table ${schema.quoted}.wait set (autovacuum_enabled = false)`);
    await schema.query(
      `insert into ${schema.quoted}.wait select 'k', n, 1, 1 from generate_series(1, 500) n`,
    );
    await schema.query(`delete from ${schema.quoted}.wait where bucket <= 400`);
    await schema.query("select pg_stat_force_next_flush()"); // otherwise the server reports it some time later
    await vi.waitFor(
      async () => {
        const { tables } = await examinePostgres(options);
        expect(tables).toMatchObject({ version: steps.length, lacking: [], isOwner: true });
        expect(tables?.sizes).toContainEqual({ name: "wait", live: 100, dead: 400 });
      },
      { timeout: 180_000, interval: 500 },
    );

    const role = `guest_${createId(systemRandom)}`;
    await schema.query(`create role ${role} login password 'guest'`);
    onTestFinished(async () => {
      await using admin = await createTestSchema(postgres.url);
      await admin.query(`drop owned by ${role}`);
      await admin.query(`drop role ${role}`);
    });
    const url = postgres.url.replace("postgres:forager", `${role}:guest`);
    const guest = await examinePostgres({ ...options, url });
    expect(guest).toMatchObject({ canMake: false, tables: { isOwner: false } });
    expect(guest.tables?.lacking).toContain("select on task");
    await schema.query(`grant usage on schema ${schema.quoted} to ${role}`);
    await schema.query(
      `grant select, insert, delete on all tables in schema ${schema.quoted} to ${role}`,
    );
    const { tables } = await examinePostgres({ ...options, url });
    expect(tables?.lacking).toContain("update on task");
    expect(tables?.lacking).not.toContain("select on task");
  });

  test("sees the oldest transaction, and a clock that differs", async () => {
    await using schema = await createTestSchema(postgres.url);
    await schema.query("begin");
    await schema.query("select 1");
    const clock = createTestClock(Date.now() - 3_600_000);
    const facts = await examinePostgres({ url: postgres.url, schema: schema.name, clock });
    expect(facts.oldest).toMatchObject({ pid: expect.any(Number), ageS: expect.any(Number) });
    expect(facts.clockAheadMs).toBeGreaterThan(3_590_000);
    await schema.query("rollback");
    const now = await examinePostgres({ url: postgres.url, schema: schema.name });
    expect(Math.abs(now.clockAheadMs)).toBeLessThan(10_000);
  });
});
