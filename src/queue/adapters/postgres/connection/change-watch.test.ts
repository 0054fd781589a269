// needs: postgres
import pg from "pg";
import { expect, test, vi } from "vitest";
import { needs } from "../../../../../test/support/services.ts";
import { createTestClock } from "../../../../base/testing/test-clock.ts";
import type { Operation } from "../../../operation.ts";
import { openPostgresQueueStore } from "../postgres-queue-store.ts";
import { createTcpGap } from "../testing/tcp-gap.ts";
import { createTestSchema } from "../testing/test-schema.ts";

const task = { kind: "work", job: "default", gate: "", payload: "null", attemptsMax: 3 };
const addOne = (key: string): Operation => ({
  op: "add",
  tasks: [{ ...task, key, priority: 500, dueAtMs: 0 }],
});

needs(["postgres"], ({ postgres }) => {
  test("lesson 25: what one opener adds, raises or opens wakes another", async () => {
    await using schema = await createTestSchema(postgres.url);
    const options = { url: postgres.url, schema: schema.name };
    const [one, other] = await Promise.all([
      openPostgresQueueStore(options),
      openPostgresQueueStore({ ...options, clock: createTestClock() }), // it never polls
    ]);
    let heard = 0;
    other.watch(() => void (heard += 1));
    await expect.poll(() => heard).toBeGreaterThan(0);
    const raise: Operation = {
      op: "raise",
      raises: [{ job: "default", gate: "", key: "a", priority: 900 }],
    };
    for (const operation of [addOne("a"), raise, { op: "setGate", gate: "g" } as const]) {
      const before = heard;
      await one.commit([operation]);
      await expect.poll(() => heard).toBeGreaterThan(before);
    }
    await one[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });

  test("added tasks are news to those who wait in the same process", async () => {
    await using schema = await createTestSchema(postgres.url);
    const store = await openPostgresQueueStore({ url: postgres.url, schema: schema.name });
    const heard: unknown[] = [];
    store.watch((isNews) => void heard.push(isNews));
    await store.commit([{ op: "setGate", gate: "g" }]);
    expect(heard).not.toContain(true);
    await store.commit([addOne("a")]);
    expect(heard).toContain(true);
    await store[Symbol.asyncDispose]();
  });

  test("lesson 26: many changes at once are few notifications, the last never dropped", async () => {
    await using schema = await createTestSchema(postgres.url);
    const options = { url: postgres.url, schema: schema.name };
    const store = await openPostgresQueueStore(options);
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    let count = 0;
    let lastMs = 0;
    client.on("notification", () => {
      count += 1;
      lastMs = performance.now();
    });
    await client.query(`listen ${pg.escapeIdentifier(`forager ${schema.name}`.slice(0, 63))}`);
    let sentMs = 0;
    for (let index = 0; index < 50; index++) {
      await store.commit([addOne(`k${index}`)]);
      sentMs = performance.now();
    }
    await expect.poll(() => lastMs).toBeGreaterThanOrEqual(sentMs);
    expect(count).toBeLessThanOrEqual(51);
    await client.end();
    await store[Symbol.asyncDispose]();
  });

  test("without a session to listen with it polls, and listens again when it can", async () => {
    await using schema = await createTestSchema(postgres.url);
    await using gap = await createTcpGap(postgres.url);
    const options = { url: postgres.url, schema: schema.name };
    const one = await openPostgresQueueStore(options);
    const other = await openPostgresQueueStore({ ...options, listenUrl: gap.url });
    let heard = 0;
    other.watch(() => void (heard += 1));
    await expect.poll(() => heard).toBeGreaterThan(0);
    await gap.cut();
    const polled = heard;
    await expect.poll(() => heard).toBeGreaterThan(polled + 1);
    await gap.mend();
    await vi.waitFor(
      async () => {
        const sessions = await schema.query(
          "select 1 from pg_stat_activity where application_name = 'forager listener'",
        );
        expect(sessions.length).toBeGreaterThan(0);
      },
      { timeout: 180_000 },
    );
    await one[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });
});
