import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sleep } from "../../base/clock.ts";
import { createMetrics } from "../../base/metrics.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createScaler, decide, type ScalerReading } from "./scaler.ts";

const settings = { min: 2, max: 40 };
const calm: ScalerReading = {
  concurrency: 10,
  atWork: 10,
  claimable: 0,
  gated: 0,
  loopLagMs: 5,
  memoryShare: 0.3,
  errorShare: 0.05,
};

describe("D4: one reading, one decision, one reason", () => {
  const cases: readonly [string, Partial<ScalerReading>, string, number][] = [
    ["all busy and more could run", { claimable: 100 }, "scale_up backlog", 15],
    ["a little more could run", { claimable: 1 }, "scale_up backlog", 11],
    ["all busy at the top", { concurrency: 40, atWork: 40, claimable: 9 }, "no_change at_max", 40],
    ["what waits, waits for gates", { atWork: 1, gated: 500 }, "no_change gates", 10],
    ["empty slots", { atWork: 1 }, "scale_down idle", 7],
    ["empty slots at the bottom", { concurrency: 2, atWork: 0 }, "no_change at_min", 2],
    ["busy enough", { atWork: 7 }, "no_change steady", 10],
    ["the loop is late", { claimable: 100, loopLagMs: 201 }, "scale_down event_loop_lag", 5],
    ["memory is short", { claimable: 100, memoryShare: 0.9 }, "scale_down memory", 5],
    ["most fails", { claimable: 100, errorShare: 0.6 }, "scale_down errors", 5],
    ["too few ended to judge", { claimable: 100, errorShare: undefined }, "scale_up backlog", 15],
    ["trouble at the bottom", { concurrency: 2, loopLagMs: 900 }, "no_change at_min", 2],
    ["below the bottom", { concurrency: 1, atWork: 0 }, "scale_up at_min", 2],
    ["above the top", { concurrency: 60, atWork: 1 }, "scale_down at_max", 40],
  ];
  test.each(cases)("%s", (_, reading, expected, concurrency) => {
    const decided = decide({ ...calm, ...reading }, settings);
    expect(`${decided.decision} ${decided.reason}`).toBe(expected);
    expect(decided.concurrency).toBe(concurrency);
  });

  test("fixed: nothing is decided, whatever happens", () => {
    const reading = { ...calm, loopLagMs: 9_000, claimable: 1_000 };
    expect(decide(reading, { min: 10, max: 10 })).toEqual({
      decision: "no_change",
      reason: "fixed",
      concurrency: 10,
    });
  });

  test("law: always within the bounds, and the word fits the number", () => {
    const reading = fc.record({
      concurrency: fc.integer({ min: 1, max: 100 }),
      atWork: fc.integer({ min: 0, max: 100 }),
      claimable: fc.integer({ min: 0, max: 1_000 }),
      gated: fc.integer({ min: 0, max: 1_000 }),
      loopLagMs: fc.integer({ min: 0, max: 1_000 }),
      memoryShare: fc.double({ min: 0, max: 1, noNaN: true }),
      errorShare: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
    });
    fc.assert(
      fc.property(reading, fc.integer({ min: 1, max: 20 }), fc.nat(50), (one, min, more) => {
        const { decision, concurrency } = decide(one, { min, max: min + more });
        expect(concurrency).toBeGreaterThanOrEqual(Math.min(min, one.concurrency));
        expect(concurrency).toBeLessThanOrEqual(Math.max(min + more, one.concurrency));
        expect(decision === "scale_up").toBe(concurrency > one.concurrency);
        expect(decision === "scale_down").toBe(concurrency < one.concurrency);
      }),
    );
  });
});

function setUp(readings: Partial<ScalerReading>) {
  const clock = createTestClock();
  const metrics = createMetrics();
  const lines: string[] = [];
  const state = {
    reading: { ...calm, ...readings },
    applied: [] as number[],
    reads: 0,
    takesMs: 0,
  };
  const write = (_: string, fields?: object) =>
    void lines.push((fields as { reason: string }).reason);
  const logger = { debug: write, info: write, warn: write, error: write, child: () => logger };
  const scaler = createScaler({
    settings,
    async read() {
      state.reads += 1;
      if (state.takesMs > 0) await sleep(clock, state.takesMs);
      return state.reading;
    },
    concurrency: () => state.reading.concurrency,
    apply(concurrency) {
      state.applied.push(concurrency);
      state.reading = { ...state.reading, concurrency, atWork: concurrency };
    },
    clock,
    logger,
    metrics,
  });
  return { clock, metrics, lines, state, scaler };
}

test("a growing backlog is met in steps, and each change is logged and counted by reason", async () => {
  const { clock, metrics, lines, state, scaler } = setUp({ claimable: 1_000 });
  scaler.start();
  await clock.advance(30_000);
  expect(state.applied).toEqual([15, 23, 35, 40]);
  expect(lines).toEqual(["backlog", "backlog", "backlog", "backlog", "at_max"]);
  await clock.advance(30_000);
  expect(lines).toHaveLength(5); // a reason that lasts is logged once
  const [evaluations] = metrics.snapshot();
  expect(evaluations?.series).toEqual([
    { values: ["scale_up", "backlog"], value: 4 },
    { values: ["no_change", "at_max"], value: 8 },
  ]);
  await scaler.stop();
  expect(clock.pendingTimers()).toBe(0);
});

test("new bounds hold from the next evaluation on", async () => {
  const { clock, state, scaler } = setUp({ claimable: 1_000 });
  scaler.start();
  scaler.configure({ min: 3, max: 12 });
  await clock.advance(5_000);
  expect(state.applied).toEqual([12]);
  scaler.configure({ min: 20, max: 30 });
  await clock.advance(5_000);
  expect(state.applied.at(-1)).toBe(20);
  await scaler.stop();
});

test("A4: a queue that is slow to read is read less often, so that tasks come first", async () => {
  const { clock, state, scaler } = setUp({ claimable: 1_000 });
  state.takesMs = 2_000;
  scaler.start();
  await clock.advance(126_000);
  expect(state.reads).toBe(3); // at 5, 47 and 89 s
  const stopped = scaler.stop();
  await clock.advance(2_000);
  await stopped;
});
