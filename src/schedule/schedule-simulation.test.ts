// needs: postgres
// long: simulation
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { needs } from "../../test/support/services.ts";
import { systemClock } from "../base/clock.ts";
import { createMemoryBucket } from "../bucket/adapters/memory/memory-bucket.ts";
import { suiteStorage } from "../queue/adapters/bucket/testing/suite-storage.ts";
import { createSuiteTime } from "../queue/testing/suite-time.ts";
import { createMemoryQueueStore } from "../queue/adapters/memory/memory-queue-store.ts";
import { openPostgresQueueStore } from "../queue/adapters/postgres/postgres-queue-store.ts";
import { createLentSchemas } from "../queue/adapters/postgres/testing/lent-schemas.ts";
import { openSqliteQueueStore } from "../queue/adapters/sqlite/sqlite-queue-store.ts";
import { simulateSchedules, type SimulationOptions } from "./testing/schedule-simulation.ts";

const isLong = process.env["FORAGER_TEST_LONG"] === "1";
const seedsOf = (from: number, count: number) =>
  Array.from({ length: isLong ? count * 10 : count }, (_, at) => from + at);

/** `FORAGER_SCHEDULE_SEED=17 npx vitest run src/schedule` repeats one run. */
const chosen = process.env["FORAGER_SCHEDULE_SEED"];

function runs(name: string, seeds: readonly number[], openStore: SimulationOptions["openStore"]) {
  test(`B28: on ${name}, each occurrence is there once at most and the policy holds`, async () => {
    for (const seed of chosen === undefined ? seeds : [Number(chosen)]) {
      expect(await simulateSchedules({ seed, openStore }), `seed ${seed}`).toEqual([]);
    }
  });
}

describe("a fleet with outages, lost answers, time zones and changed expressions", () => {
  runs("the model", seedsOf(1, 25), async (now) => createMemoryQueueStore({ now }));

  const folder = mkdtempSync(join(tmpdir(), "forager-schedule-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  let files = 0;
  runs(
    "SQLite",
    seedsOf(1001, 3),
    async (now) =>
    openSqliteQueueStore({ file: join(folder, `${files++}.db`), now, busyMs: 50, durability: "normal" }), // prettier-ignore
  );

  const open = suiteStorage(createMemoryBucket({ clock: systemClock }));
  runs(
    "a bucket",
    seedsOf(2001, 2),
    async (now) => (await open({ ...createSuiteTime(), now })).store,
  );
});

needs(["postgres"], ({ postgres }) => {
  const schemas = createLentSchemas(postgres.url);
  afterAll(() => schemas[Symbol.asyncDispose]());
  runs("PostgreSQL", seedsOf(3001, 2), async (now) => {
    const schema = await schemas.lend();
    const store = await openPostgresQueueStore({ url: postgres.url, schema: schema.name, now });
    return {
      ...store,
      async [Symbol.asyncDispose]() {
        await store[Symbol.asyncDispose]();
        await schema[Symbol.asyncDispose]();
      },
    };
  });
});
