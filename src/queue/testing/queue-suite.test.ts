import { describe, expect, test } from "vitest";
import { createMemoryQueueStore } from "../adapters/memory/memory-queue-store.ts";
import type { Overview, QueueStore } from "../queue-store.ts";
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

  test.each([
    ["a lane", (seen: Overview) => ({ ...seen, lanes: [{ ...seen.lanes[0]!, ready: 9 }] })],
    [
      "an oldest",
      (seen: Overview) => ({ ...seen, lanes: [{ ...seen.lanes[0]!, oldestReadyAtMs: 1 }] }),
    ],
    ["a gate", (seen: Overview) => ({ ...seen, gates: [{ ...seen.gates[0]!, running: 9 }] })],
    ["a missing gate", (seen: Overview) => ({ ...seen, gates: [] })],
    ["a job", (seen: Overview) => ({ ...seen, jobs: [{ ...seen.jobs[0]!, pending: 9 }] })],
    ["a job's slots", (seen: Overview) => ({ ...seen, jobs: [{ ...seen.jobs[0]!, slots: 0 }] })],
    ["a job's sum", (seen: Overview) => ({ ...seen, jobs: [{ ...seen.jobs[0]!, added: 9 }] })],
  ])("notices %s that was counted wrongly", async (_what, spoil) => {
    const time = createSuiteTime();
    const store = createMemoryQueueStore({ now: time.now });
    const spoilt: QueueStore = { ...store, overview: async () => spoil(await store.overview()) };
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
