import { describe, expect, test } from "vitest";
import { createMemoryQueueStore } from "../adapters/memory/memory-queue-store.ts";
import type { KindCounts } from "../read/counts.ts";
import type { Job } from "../job.ts";
import type { NamePage } from "../names.ts";
import type { QueueStore } from "../queue-store.ts";
import { suiteMistakes } from "./queue-suite.ts";
import { openFixture, works } from "./suite-fixture.ts";
import { expectExactCounters } from "./suite-recount.ts";
import { createSuiteTime } from "./suite-time.ts";

describe("the suite itself", () => {
  test("finds deviations that name no clause, give no reason, and titles used twice", () => {
    expect(suiteMistakes(["a", "b"], { a: "because" })).toEqual([]);
    expect(suiteMistakes(["a", "b", "a"], { a: " ", gone: "because" })).toEqual([
      'two clauses are called "a"',
      'the deviation "a" gives no reason',
      'stale deviation, no such clause: "gone"',
    ]);
  });

  test("moves both clocks, or the wall clock alone", async () => {
    const time = createSuiteTime();
    const before = time.now();
    await time.advance(100);
    time.stepWall(-1_000);
    expect(time.now()).toEqual({ ms: before.ms + 100, wallMs: before.wallMs - 900 });
  });

  const inKind = (change: Partial<KindCounts>) => (store: QueueStore) => ({
    ...store,
    async counts() {
      const seen = await store.counts();
      return { ...seen, kinds: [{ ...seen.kinds[0]!, ...change }] };
    },
  });
  const inJob = (change: Partial<Job>) => (store: QueueStore) => ({
    ...store,
    jobs: async (page: NamePage) => (await store.jobs(page)).map((job) => ({ ...job, ...change })),
  });
  const oldest = { reason: "domain_delay", count: 2, oldestAtMs: 1 } as const;
  test.each<readonly [string, (store: QueueStore) => QueueStore]>([
    ["a kind", inKind({ pending: 9 })],
    ["a reason", inKind({ reasons: [] })],
    ["an oldest", inKind({ reasons: [oldest] })],
    ["a claimable task", inKind({ claimableSinceMs: 1 })],
    ["a lane", (store) => ({ ...store, counts: async () => ({ ...(await store.counts()), lanes: 2 }) })], // prettier-ignore
    [
      "a gate",
      (store) => ({
        ...store,
        gates: async (page) => (await store.gates(page)).map((gate) => ({ ...gate, running: 9 })),
      }),
    ],
    ["a missing gate", (store) => ({ ...store, gates: async () => [] })],
    ["a job", inJob({ pending: 9 })],
    ["a job's slots", inJob({ slots: 0 })],
    ["a job's sum", inJob({ added: 9 })],
  ])("notices %s that was counted wrongly", async (_what, spoil) => {
    const time = createSuiteTime();
    const store = createMemoryQueueStore({ now: time.now });
    const spoilt = spoil(store);
    await using at = await openFixture(
      async () => ({ store, openAnother: async () => store }),
      time,
    );
    await at.add(...works("a", 3, { gate: "g" }));
    await at.claim({ burst: 1 });
    await expectExactCounters(store);
    await expect(expectExactCounters(spoilt)).rejects.toThrow();
  });
});
