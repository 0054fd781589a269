import { describe, expect, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { createTestClock } from "../../../base/testing/test-clock.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { createQueue } from "../../create-queue.ts";
import { blocksLasted, handOver } from "../../testing/race-hand-over.ts";
import { queueSuite } from "../../testing/queue-suite.ts";
import { createMemoryQueueStore } from "./memory-queue-store.ts";
import { statusesOf } from "../../testing/suite-fixture.ts";

queueSuite({
  name: "memory",
  open: async (time) => {
    const store = createMemoryQueueStore({ now: time.now });
    // All openers of a variable are in its process and share it; it goes with the last of them.
    return {
      store,
      openAnother: async () => ({ ...store, [Symbol.asyncDispose]: async () => {} }),
    };
  },
  deviations: {
    "tokens rise above all that a restored backup has forgotten":
      "a variable has no backup; src/queue/model/claim.test.ts goes back to an older shard instead",
    "lesson 6: a store that cannot reach its storage says so and invents nothing":
      "a variable cannot be out of reach, so there is no failure it could hide",
  },
});

describe("a memory store with a limit", () => {
  const open = (liveTasksMax: number) => {
    const clock = createTestClock();
    const now = () => ({ ms: clock.nowMs(), wallMs: clock.nowMs() });
    const store = createMemoryQueueStore({ now, liveTasksMax });
    return createQueue({ store, clock, random: createSeededRandom(1) });
  };
  const tasks = (...keys: string[]) => keys.map((key) => ({ kind: "work", key }));
  const asked = { worker: "w1", kinds: ["work"], limit: 10 };

  test("answers full beyond it, and stores nothing of what it refused", async () => {
    await using queue = open(2);
    expect(statusesOf(await queue.add(tasks("a", "b", "c")))).toEqual(["added", "added", "full"]);
    expect(statusesOf(await queue.add(tasks("c", "a")))).toEqual(["full", "duplicate"]);
    expect(await queue.browse()).toHaveLength(2);
    expect(await queue.job("default")).toMatchObject({ added: 2 });
  });

  test("counts running tasks, and has room again when one ends", async () => {
    await using queue = open(2);
    await queue.add(tasks("a", "b"));
    const { leases } = await queue.claim(asked);
    expect(statusesOf(await queue.add(tasks("c")))).toEqual(["full"]);
    await queue.finish([{ ...leases[0]!, outcome: { kind: "done" } }]);
    expect(statusesOf(await queue.add(tasks("c", "d")))).toEqual(["added", "full"]);
  });

  test("stores what a finish adds even when full: it could be kept nowhere else", async () => {
    await using queue = open(1);
    await queue.add(tasks("a"));
    const { leases } = await queue.claim(asked);
    const finish = { ...leases[0]!, outcome: { kind: "done" } as const, add: tasks("b", "c") };
    expect(await queue.finish([finish])).toEqual([{ status: "done" }]);
    expect((await queue.stats()).states).toMatchObject({ pending: 2, done: 1 });
  });
});

describe("a memory store by the clock of its machine", () => {
  test("drops fractions: a wait begins with the next whole millisecond", async () => {
    const clock = createTestClock();
    const store = createMemoryQueueStore({ clock });
    await using queue = createQueue({ store, clock, random: createSeededRandom(1) });
    await clock.advance(0.75);
    expect(await queue.block("g", 1_000)).toMatchObject({ blockedForMs: 1_001 });
    await clock.advance(1_000);
    expect(await queue.gate("g")).toMatchObject({ blockedUntilMs: (await queue.now()).ms + 1 });
  });

  const open = () =>
    createQueue({
      store: createMemoryQueueStore(),
      clock: systemClock,
      random: createSeededRandom(1),
    });

  test("no gap is short by a fraction, when the next claim comes at once", async () => {
    await using queue = open();
    const gapsMs = await handOver([queue], { delayMs: 5, starts: 60 });
    expect(gapsMs.filter((gapMs) => gapMs < 5)).toEqual([]);
  });

  test("no block is short by a fraction, while somebody claims all the time", async () => {
    await using queue = open();
    const lastedMs = await blocksLasted(queue, { forMs: 10, blocks: 40 });
    expect(lastedMs.filter((ms) => ms < 10)).toEqual([]);
  });
});
