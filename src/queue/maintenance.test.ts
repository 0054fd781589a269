import { expect, test } from "vitest";
import { AppError } from "../base/app-error.ts";
import { silentLogger } from "../base/log/logger.ts";
import { createSeededRandom } from "../base/random.ts";
import { createTestClock, type TestClock } from "../base/testing/test-clock.ts";
import { createMemoryQueueStore } from "./adapters/memory/memory-queue-store.ts";
import { createQueue } from "./create-queue.ts";
import { createMaintenance } from "./maintenance.ts";
import { upgradeUnfinishedCode } from "./queue-store.ts";
import { statusesOf } from "./testing/suite-fixture.ts";

const dayMs = 86_400_000;

function setUp() {
  const clock = createTestClock();
  const now = () => ({ ms: clock.nowMs(), wallMs: clock.nowMs() });
  const queue = createQueue({
    store: createMemoryQueueStore({ now }),
    clock,
    random: createSeededRandom(1),
  });
  const keep = { keepDoneMs: 7 * dayMs, keepFailedMs: 30 * dayMs, keepKeysMs: 90 * dayMs };
  return { clock, queue, options: { queue, clock, logger: silentLogger, ...keep } };
}

/** In steps, since a tick's calls to the queue take turns of the event loop, which have no time. */
async function pass(clock: TestClock, ms: number, stepMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
    for (let turn = 0; turn < 5; turn++) await clock.advance(0);
    await clock.advance(stepMs);
  }
}

const hourMs = 3_600_000;
const claim = { worker: "w", kinds: ["work"], limit: 10, leaseMs: 10_000 };

test("an expired lease is swept though nobody claims", async () => {
  const { clock, queue, options } = setUp();
  await queue.add([{ kind: "work", key: "a" }]);
  await queue.claim(claim);
  const maintenance = createMaintenance(options);
  await maintenance.start();
  await pass(clock, 60_000, 5_000);
  expect((await queue.stats()).states).toMatchObject({ pending: 1, running: 0 });
  await maintenance.stop();
  expect(clock.pendingTimers()).toBe(0);
});

test("D16: done tasks move into the log after their days, failed ones after theirs, others stay", async () => {
  const { clock, queue, options } = setUp();
  await queue.add([
    { kind: "work", key: "done" },
    { kind: "work", key: "skipped" },
    { kind: "work", key: "failed" },
    { kind: "later", key: "pending" },
  ]);
  const { leases } = await queue.claim(claim);
  const outcomes = [
    { kind: "done" },
    { kind: "skip", reason: "s" },
    { kind: "fail", reason: "f" },
  ] as const;
  await queue.finish(leases.map((lease, index) => ({ ...lease, outcome: outcomes[index]! })));
  const maintenance = createMaintenance(options);
  await maintenance.start();
  const keys = async () => (await queue.browse()).map(({ key }) => key);

  await pass(clock, 7 * dayMs - 2 * hourMs, hourMs);
  expect(await keys()).toEqual(["done", "skipped", "failed", "pending"]);
  await pass(clock, 4 * hourMs, hourMs);
  expect(await keys()).toEqual(["failed", "pending"]);
  await pass(clock, 23 * dayMs, hourMs);
  expect(await keys()).toEqual(["pending"]);
  expect((await queue.log()).map(({ key }) => key)).toEqual(["done", "skipped", "failed"]);

  const again = ["done", "skipped", "failed"].map((key) => ({ kind: "work", key }));
  expect(statusesOf(await queue.add(again))).toEqual(["duplicate", "duplicate", "duplicate"]);
  await pass(clock, 60 * dayMs, hourMs);
  expect(statusesOf(await queue.add(again))).toEqual(["added", "added", "added"]);
  expect(await queue.logStats()).toMatchObject({ entries: 3, keptKeys: 0 });
  await maintenance.stop();
});

test("a queue that is out of reach for a while does not end it", async () => {
  const { clock, queue, options } = setUp();
  let failures = 3;
  const maintenance = createMaintenance({
    ...options,
    queue: {
      ...queue,
      sweep: async () => {
        if (failures-- > 0) throw new AppError("unavailable", "gone", "gone");
        return queue.sweep();
      },
    },
  });
  await queue.add([{ kind: "work", key: "a" }]);
  await queue.claim(claim);
  await maintenance.start();
  await pass(clock, 120_000, 5_000);
  expect((await queue.stats()).states).toMatchObject({ pending: 1, running: 0 });
  await maintenance.stop();
});

test("an archive that failed is tried again at the next tick, not after an hour", async () => {
  const { clock, queue, options } = setUp();
  let failures = 2;
  const maintenance = createMaintenance({
    ...options,
    keepDoneMs: 0,
    queue: {
      ...queue,
      archive: async (filter) => {
        if (failures-- > 0) throw new AppError("unavailable", "gone", "gone");
        return queue.archive(filter);
      },
    },
  });
  await queue.add([{ kind: "work", key: "a" }]);
  const { leases } = await queue.claim(claim);
  await queue.finish(leases.map((lease) => ({ ...lease, outcome: { kind: "done" } as const })));
  await clock.advance(1_000);
  await maintenance.start();
  await pass(clock, 60_000, 5_000);
  expect(await queue.logStats()).toMatchObject({ entries: 1 });
  await maintenance.stop();
});

test("E11: while an upgrade is not finished, finished tasks stay, keys are freed, and the log says why", async () => {
  const { clock, queue, options } = setUp();
  const [warnings, freed] = [[] as string[], [] as unknown[]];
  const maintenance = createMaintenance({
    ...options,
    logger: { ...silentLogger, warn: (text) => void warnings.push(text) },
    queue: {
      ...queue,
      archive: async () => {
        throw new AppError("conflict", upgradeUnfinishedCode, "not yet");
      },
      forgetKeys: async (filter) => {
        freed.push(filter);
        return queue.forgetKeys(filter);
      },
    },
  });
  await maintenance.start();
  await pass(clock, 60_000, 5_000);
  await maintenance.stop();
  expect(freed).toHaveLength(1); // it is not tried again at each tick
  expect(warnings).toEqual([expect.stringContaining("forager fleet finish-upgrade")]);
});
