import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "../base/app-error.ts";
import type { LogFields, Logger } from "../base/log/logger.ts";
import { createSeededRandom } from "../base/random.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createMemoryQueueStore } from "./adapters/memory/memory-queue-store.ts";
import { createQueue } from "./create-queue.ts";
import type { RaiseInput } from "./queue.ts";
import { createRaiseDebouncer, waitingMax } from "./raise-debouncer.ts";

describe("the raise debouncer", () => {
  test("stores a priority of 800 and above at once", async () => {
    const { debouncer, priorityOf, calls } = await setUp(["a", "b"]);
    await debouncer.raise({ key: "a", priority: 800 });
    await debouncer.raise({ key: "b", priority: 1_000 });
    expect([await priorityOf("a"), await priorityOf("b")]).toEqual([800, 1_000]);
    expect(calls).toHaveLength(2);
    expect(debouncer.waiting()).toBe(0);
  });

  test("stores 400 and above after 5 s, the rest after 30 s", async () => {
    const { clock, debouncer, priorityOf } = await setUp(["a", "b", "c"]);
    await debouncer.raise({ key: "a", priority: 799 });
    await debouncer.raise({ key: "b", priority: 400 });
    await debouncer.raise({ key: "c", priority: 399 });
    await clock.advance(4_999);
    expect(await priorityOf("a")).toBe(100);
    await clock.advance(1);
    expect([await priorityOf("a"), await priorityOf("b")]).toEqual([799, 400]);
    expect(await priorityOf("c")).toBe(100);
    await clock.advance(24_999);
    expect(await priorityOf("c")).toBe(100);
    await clock.advance(1);
    expect(await priorityOf("c")).toBe(399);
  });

  test("keeps the highest of each task and writes it once", async () => {
    const { clock, debouncer, priorityOf, calls } = await setUp(["a", "b"]);
    for (const priority of [410, 600, 500]) await debouncer.raise({ key: "a", priority });
    await debouncer.raise({ key: "b", priority: 450 });
    await clock.advance(5_000);
    expect(calls).toHaveLength(1);
    expect(calls[0]).toHaveLength(2);
    expect([await priorityOf("a"), await priorityOf("b")]).toEqual([600, 450]);
  });

  test("counts raises that change nothing, and does not send them", async () => {
    const { clock, debouncer, calls } = await setUp(["a"]);
    for (const priority of [500, 500, 450]) await debouncer.raise({ key: "a", priority });
    await clock.advance(5_000);
    for (const priority of [500, 300]) await debouncer.raise({ key: "a", priority });
    await clock.advance(60_000);
    expect(calls).toHaveLength(1);
    expect(debouncer.counts()).toEqual({ raises: 5, unchanged: 4, writes: 1 });
    await debouncer.raise({ key: "a", priority: 501 });
    await clock.advance(5_000);
    expect(debouncer.counts()).toEqual({ raises: 6, unchanged: 4, writes: 2 });
  });

  test("a raise of a task that was not there yet may be repeated", async () => {
    const { clock, debouncer, calls } = await setUp([]);
    await debouncer.raise({ key: "later", priority: 500 });
    await clock.advance(5_000);
    await debouncer.raise({ key: "later", priority: 500 });
    await clock.advance(5_000);
    expect(calls).toHaveLength(2);
  });

  test("lesson 26: a stream of raises does not delay the first further, and its last value is stored", async () => {
    const { clock, debouncer, priorityOf } = await setUp(["a"]);
    for (let step = 0; step < 12; step++) {
      await debouncer.raise({ key: "a", priority: 400 + step });
      await clock.advance(1_000);
      if (step === 5) expect(await priorityOf("a")).toBeGreaterThanOrEqual(404);
    }
    await clock.advance(5_000);
    expect(await priorityOf("a")).toBe(411);
  });

  test("a raise that comes to wait less moves the one that waits", async () => {
    const { clock, debouncer, priorityOf, calls } = await setUp(["a"]);
    await debouncer.raise({ key: "a", priority: 200 });
    await clock.advance(1_000);
    await debouncer.raise({ key: "a", priority: 500 });
    await clock.advance(5_000);
    expect(await priorityOf("a")).toBe(500);
    await debouncer.raise({ key: "a", priority: 300 });
    await debouncer.raise({ key: "a", priority: 900 });
    expect(await priorityOf("a")).toBe(900);
    await clock.advance(60_000);
    expect(calls).toHaveLength(2);
  });

  test("the store counts the raises that changed nothing", async () => {
    const { clock, debouncer, queue } = await setUp(["a", "b"]);
    await debouncer.raise({ key: "a", priority: 50 });
    await debouncer.raise({ key: "b", priority: 150 });
    await clock.advance(30_000);
    expect((await queue.stats()).raises).toEqual({ raised: 1, unchanged: 1 });
  });

  test("flush stores all that waits, now", async () => {
    const { clock, debouncer, priorityOf, calls } = await setUp(["a", "b"]);
    await debouncer.raise({ key: "a", priority: 401 });
    await debouncer.raise({ key: "b", priority: 101 });
    await debouncer.flush();
    expect([await priorityOf("a"), await priorityOf("b")]).toEqual([401, 101]);
    expect(debouncer.waiting()).toBe(0);
    expect(clock.pendingTimers()).toBe(0);
    await clock.advance(60_000);
    expect(calls).toHaveLength(1);
  });

  test("stop stores the rest and takes no more", async () => {
    const { clock, debouncer, priorityOf } = await setUp(["a"]);
    await debouncer.raise({ key: "a", priority: 101 });
    await debouncer.stop();
    await debouncer.stop();
    expect(await priorityOf("a")).toBe(101);
    expect(clock.pendingTimers()).toBe(0);
    await expect(debouncer.raise({ key: "a", priority: 102 })).rejects.toMatchObject({
      kind: "aborted",
      code: "debouncer_stopped",
    });
  });

  test("refuses a bad raise before it could spoil others", async () => {
    const { debouncer } = await setUp(["a"]);
    await expect(debouncer.raise({ key: "a", priority: 1_001 })).rejects.toThrow(/priority/);
    await expect(debouncer.raise({ key: "", priority: 1 })).rejects.toThrow(/key/);
    expect(debouncer.waiting()).toBe(0);
  });

  test("tasks of different jobs and gates are different", async () => {
    const { debouncer, calls } = await setUp([]);
    const same = { key: "a", priority: 500 };
    for (const more of [{}, { job: "j" }, { gate: "g" }, { job: "j", gate: "g" }]) {
      await debouncer.raise({ ...same, ...more });
    }
    await debouncer.flush();
    expect(calls[0]).toHaveLength(4);
  });

  test("what cannot be stored waits, is said in the log, and is stored later", async () => {
    const { clock, debouncer, priorityOf, failNext, logged } = await setUp(["a", "b"]);
    await debouncer.raise({ key: "a", priority: 500 });
    failNext(2);
    await clock.advance(5_000);
    expect(logged).toMatchObject([["priority raises not stored, trying again", { waiting: 1 }]]);
    await debouncer.raise({ key: "a", priority: 600 });
    await clock.advance(5_000);
    expect(logged).toHaveLength(2);
    expect(await priorityOf("a")).toBe(100);
    await clock.advance(5_000);
    expect(await priorityOf("a")).toBe(600);
    expect(debouncer.waiting()).toBe(0);
  });

  test("a high raise that fails is reported and kept, and no lower one takes its place", async () => {
    const { clock, debouncer, priorityOf, failNext } = await setUp(["a"]);
    failNext(1);
    await expect(debouncer.raise({ key: "a", priority: 950 })).rejects.toMatchObject({
      kind: "unavailable",
    });
    await debouncer.raise({ key: "a", priority: 850 });
    expect(await priorityOf("a")).toBe(950);
    await clock.advance(60_000);
    expect(await priorityOf("a")).toBe(950);
  });

  test("flush and stop fail when the queue does, lose nothing, and may be repeated", async () => {
    const { debouncer, priorityOf, failNext } = await setUp(["a"]);
    await debouncer.raise({ key: "a", priority: 500 });
    failNext(2);
    await expect(debouncer.flush()).rejects.toMatchObject({ kind: "unavailable" });
    await expect(debouncer.stop()).rejects.toMatchObject({ kind: "unavailable" });
    expect(debouncer.waiting()).toBe(1);
    await debouncer.stop();
    expect(await priorityOf("a")).toBe(500);
  });

  test("no more than ten thousand wait: the next one stores them first", async () => {
    const { debouncer, calls, failNext } = await setUp([]);
    for (let index = 0; index < waitingMax; index++) {
      await debouncer.raise({ key: `k${index}`, priority: 1 });
    }
    expect(calls).toHaveLength(0);
    failNext(2);
    await expect(debouncer.raise({ key: "over", priority: 1 })).rejects.toThrow(/down/);
    expect(debouncer.waiting()).toBe(waitingMax);
    await debouncer.raise({ key: "over", priority: 1 });
    expect(debouncer.waiting()).toBe(1);
    expect(calls.map((call) => call.length)).toEqual([5_000, 5_000]);
  });

  test("property: whatever comes in whatever order, the highest of each task is stored", async () => {
    const step = fc.record({
      key: fc.constantFrom("a", "b", "c"),
      priority: fc.integer({ min: 0, max: 1_000 }),
      afterMs: fc.constantFrom(0, 1, 4_000, 31_000),
      fails: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        const { clock, debouncer, priorityOf, failNext } = await setUp(["a", "b", "c"]);
        const highest = new Map(["a", "b", "c"].map((key) => [key, 100]));
        for (const { key, priority, afterMs, fails } of steps) {
          failNext(fails ? 1 : 0);
          await debouncer.raise({ key, priority }).catch(() => {});
          highest.set(key, Math.max(highest.get(key)!, priority));
          await clock.advance(afterMs);
        }
        failNext(0);
        await debouncer.stop();
        for (const [key, priority] of highest) expect(await priorityOf(key)).toBe(priority);
      }),
      { numRuns: 60 },
    );
  });
});

/** A debouncer in front of a real queue that holds the given tasks with priority 100. */
async function setUp(keys: readonly string[]) {
  const clock = createTestClock();
  const now = () => ({ ms: clock.nowMs(), wallMs: clock.nowMs() });
  const store = createMemoryQueueStore({ now });
  const queue = createQueue({ store, clock, random: createSeededRandom(1) });
  await queue.add(keys.map((key) => ({ kind: "work", key, priority: 100 })));
  const calls: (readonly RaiseInput[])[] = [];
  const logged: [string, LogFields | undefined][] = [];
  let failures = 0;
  const flaky = {
    raise: async (raises: readonly RaiseInput[]) => {
      if (failures > 0) {
        failures -= 1;
        throw new AppError("unavailable", "queue_down", "the queue is down for the test");
      }
      calls.push(raises);
      return queue.raise(raises);
    },
  };
  const warn: Logger["warn"] = (message, fields) => void logged.push([message, fields]);
  const logger = { debug: warn, info: warn, warn, error: warn, child: () => logger } as Logger;
  return {
    clock,
    queue,
    calls,
    logged,
    debouncer: createRaiseDebouncer({ queue: flaky, clock, logger }),
    failNext: (count: number) => void (failures = count),
    priorityOf: async (key: string) => (await queue.browse({ keyPrefix: key }))[0]!.priority,
  };
}
