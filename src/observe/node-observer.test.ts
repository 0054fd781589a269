import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { sleep } from "../base/clock.ts";
import { silentLogger } from "../base/logger.ts";
import { createMetrics } from "../base/metrics.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import type { QueueStats } from "../queue/index.ts";
import { createNodeObserver } from "./node-observer.ts";
import type { StallEvent } from "./stall.ts";

function setUp(takesMs: number) {
  const clock = createTestClock();
  const metrics = createMetrics();
  const looksMs: number[] = [];
  const beatsMs: number[] = [];
  const alerts: StallEvent[] = [];
  const kind = {
    kind: "page",
    claimable: 3,
    claimableAgeMs: 0,
    done: 1,
    skipped: 0,
    failed: 0,
  };
  const observer = createNodeObserver({
    queue: {
      async stats() {
        looksMs.push(clock.monotonicMs());
        if (takesMs > 0) await sleep(clock, takesMs);
        return { kinds: [kind] } as unknown as QueueStats;
      },
    },
    clock,
    logger: silentLogger,
    metrics,
    stallMs: 60_000,
    folder: tmpdir(),
    onAlert: (event) => void alerts.push(event),
    writeHeartbeat: async () => void beatsMs.push(clock.monotonicMs()),
  });
  /** In steps, since reading the machine is real work that takes turns of the event loop. */
  const pass = async (ms: number) => {
    for (let passedMs = 0; passedMs < ms; passedMs += 1_000) {
      await clock.advance(1_000);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  return { observer, looksMs, beatsMs, alerts, pass, metrics };
}

test("looks every five seconds, beats every ten, and tells of a stall once", async () => {
  const { observer, looksMs, beatsMs, alerts, pass, metrics } = setUp(0);
  await observer.start();
  await pass(90_000);
  expect(looksMs.length).toBeGreaterThan(12);
  expect(beatsMs.length).toBeLessThanOrEqual(9);
  expect(beatsMs.length).toBeGreaterThan(4);
  expect(alerts).toMatchObject([{ event: "stall_began", part: "page", claimable: 3 }]);
  expect(observer.alerts()).toHaveLength(1);
  const family = metrics.snapshot().find(({ name }) => name === "forager_alerts_total");
  expect(family?.series).toEqual([{ values: ["stall_began"], value: 1 }]);
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
