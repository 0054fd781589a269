import { expect, test } from "vitest";
import { createSeededRandom } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createMemoryQueueStore } from "../adapters/memory/memory-queue-store.ts";
import { createQueue } from "../create-queue.ts";
import { readWaitingAges } from "./waiting-ages.ts";

test("how long pending tasks have waited, for each reason", async () => {
  const clock = createTestClock();
  const now = () => ({ ms: clock.nowMs(), wallMs: clock.nowMs() });
  const store = createMemoryQueueStore({ now });
  const queue = createQueue({ store, clock, random: createSeededRandom(1) });
  const add = (name: string, count: number, more: object = {}) =>
    queue.add(Array.from({ length: count }, (_, at) => ({ kind: "page", key: `${name}${at}`, ...more }))); // prettier-ignore
  await add("held", 600, { job: "held" });
  await queue.pause("held");
  await clock.advance(60_000);
  await add("free", 90);
  await clock.advance(9_000);
  await add("new", 10);
  await clock.advance(1_000);
  const { reasons, read, isComplete } = await readWaitingAges(queue);
  expect([read, isComplete]).toEqual([700, true]);
  expect(reasons.map(({ reason, count }) => [reason, count])).toEqual([
    ["paused", 600],
    ["worker_capacity", 100],
  ]);
  const [paused, free] = reasons;
  expect(paused!.p50Ms / 70_000).toBeCloseTo(1, 1);
  expect(free!.p50Ms / 10_000).toBeCloseTo(1, 1);
  expect(free!.p99Ms / 10_000).toBeCloseTo(1, 1);
});
