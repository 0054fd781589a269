import { expect, test } from "vitest";
import { sleep } from "../base/clock.ts";
import { silentLogger } from "../base/log/logger.ts";
import { createMetrics } from "../base/metrics.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import type { QueueStats } from "../queue/index.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { MachineReading } from "./process-metrics.ts";
import { createNodeObserver } from "./node-observer.ts";
import type { AlertEvent } from "./alert-book.ts";

function setUp(takesMs: number) {
  const clock = createTestClock();
  const metrics = createMetrics();
  const looksMs: number[] = [];
  const beatsMs: number[] = [];
  const alerts: AlertEvent[] = [];
  let fruitless = 0;
  const kind = {
    kind: "page",
    claimable: 3,
    claimableAgeMs: 0,
    done: 1,
    skipped: 0,
    failed: 0,
  };
  const shards = [0, 1].map((shard) => ({
    shard,
    claimable: shard === 0 ? 0 : 3,
    claimableAgeMs: 0,
    completed: 1,
  }));
  const observer = createNodeObserver({
    queue: {
      async stats() {
        looksMs.push(clock.monotonicMs());
        if (takesMs > 0) await sleep(clock, takesMs);
        return { kinds: [kind], shards } as unknown as QueueStats;
      },
    },
    clock,
    logger: {
      ...silentLogger,
      error: (_, fields) => void alerts.push(fields as unknown as AlertEvent),
    },
    metrics,
    stallMs: () => 60_000,
    readMachine: async () => ({}) as MachineReading,
    workers: () => [
      { worker: "all-1", pid: 1, kinds: ["page"], concurrency: 2, atWork: 0, completed: 5 },
    ],
    yields: () => [{ kind: "page", done: fruitless++, yielded: 0 }],
    heartbeats: async () =>
      ["1", "2", "2"].map((version) => ({ node: version, version })) as Heartbeat[],
    writeHeartbeat: async () => void beatsMs.push(clock.monotonicMs()),
  });
  /** In steps, since what is awaited in a look takes turns of the event loop. */
  const pass = async (ms: number) => {
    for (let passedMs = 0; passedMs < ms; passedMs += 1_000) {
      await clock.advance(1_000);
      for (let turn = 0; turn < 5; turn++) await clock.advance(0);
    }
  };
  return { observer, looksMs, beatsMs, alerts, pass, metrics };
}

test("looks every five seconds, sends a heartbeat each time, and reports each trouble once", async () => {
  const { observer, looksMs, beatsMs, alerts, pass, metrics } = setUp(0);
  await observer.start();
  await pass(120_000);
  expect(looksMs.length).toBeGreaterThan(20);
  expect(looksMs.length).toBeLessThan(26);
  expect(beatsMs).toHaveLength(looksMs.length);
  expect(alerts.map(({ event, of, part }) => `${event} ${of} ${part}`).sort()).toEqual([
    "differs_began node 1-undefined",
    "stall_began kind page",
    "stall_began shard 1",
    "yield_stall_began kind page",
    "zombie_began worker all-1",
  ]);
  expect(observer.alerts()).toHaveLength(5);
  const families = metrics.snapshot();
  const series = (wanted: string) => families.find(({ name }) => name === wanted)?.series;
  expect(series("forager_alerts_total")).toContainEqual({ values: ["stall_began"], value: 2 });
  expect(series("forager_alerts_active")).toContainEqual({ values: ["zombie"], value: 1 });
  await observer.stop();
});

test("A4: a queue that is slow to read is read less often, so that tasks come first", async () => {
  const { observer, looksMs, pass } = setUp(3_000);
  await observer.start();
  await pass(130_000);
  expect(looksMs.length).toBeLessThanOrEqual(3);
  expect(looksMs[1]! - looksMs[0]!).toBeGreaterThanOrEqual(60_000);
  await observer.stop();
});
