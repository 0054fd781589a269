import { expect, test } from "vitest";
import { createSeededRandom } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createMemoryQueueStore } from "../../queue/adapters/memory/memory-queue-store.ts";
import { createQueue } from "../../queue/index.ts";
import { readThroughput } from "./queue-throughput.ts";

const minuteMs = 60_000;
const startMs = Date.parse("2026-11-16T12:00:00.000Z");

test("before the log entries that are read, throughput is what the node has kept", async () => {
  const clock = createTestClock(startMs);
  const random = createSeededRandom(1);
  const now = () => ({ ms: clock.nowMs(), wallMs: clock.nowMs() });
  await using queue = createQueue({ store: createMemoryQueueStore({ now }), clock, random });
  const finish = async (
    count: number,
    outcome: { kind: "done" } | { kind: "fail"; reason: string },
  ) => {
    await queue.add(Array.from({ length: count }, () => ({ kind: "page" })));
    const { leases } = await queue.claim({ worker: "w", kinds: ["page"], limit: count });
    await queue.finish(leases.map(({ id, token }) => ({ id, token, outcome })));
  };
  await finish(4, { kind: "done" });
  await clock.advance(2 * minuteMs);
  await finish(1, { kind: "fail", reason: "gone" });
  await finish(2, { kind: "done" });
  const history = async () => [
    { atMs: startMs - 60 * minuteMs, values: { tasksDone: 99 } },
    { atMs: startMs, values: { tasksDone: 3, tasksFailed: 1 } },
    { atMs: startMs + 2 * minuteMs, values: { tasksDone: 50 } },
  ];
  const whole = await readThroughput(queue, { minutes: 5, history });
  expect([whole.done, whole.failed]).toEqual([
    [0, 0, 4, 0, 2],
    [0, 0, 0, 0, 1],
  ]);
  expect(whole.isComplete).toBe(true);
  const part = await readThroughput(queue, { minutes: 5, history, readMax: 3 });
  expect([part.done, part.failed]).toEqual([
    [0, 0, 3, 0, 2],
    [0, 0, 1, 0, 1],
  ]);
  expect(part.isComplete).toBe(false);
});
