import { expect, test } from "vitest";
import type { SeenAttempt } from "./attempt-record.ts";
import { pacingStarts } from "./pacing-starts.ts";

const attempt = (startedAtMs: number, more: Partial<SeenAttempt> = {}): SeenAttempt => ({
  task: 1,
  token: startedAtMs,
  kind: "enrich",
  gate: "example.org",
  startedAtMs,
  ranMs: 200,
  sentMs: [],
  delayMs: 1_000,
  outcome: "done",
  isSlowDown: false,
  retryAfterMs: 0,
  node: "pi-2",
  worker: "pi-2.1.77",
  ...more,
});

test("starts of several nodes in order of time, with the gaps between them", () => {
  const { starts, early } = pacingStarts(
    [attempt(9_000, { node: "pi-3", delayMs: 2_000 }), attempt(5_000), attempt(6_000)],
    0,
  );
  expect(starts.map(({ atMs, gapMs, node }) => [atMs, gapMs, node])).toEqual([
    [5_000, undefined, "pi-2"],
    [6_000, 1_000, "pi-2"],
    [9_000, 3_000, "pi-3"],
  ]);
  expect(early).toBe(0);
});

test("each request that a handler reports is a start, the call of the handler is none", () => {
  const { starts } = pacingStarts([attempt(5_000, { sentMs: [40, 1_041] })], 0);
  expect(starts.map(({ atMs }) => atMs)).toEqual([5_040, 6_041]);
});

test("a start that came too soon is counted, rounding to a millisecond is not", () => {
  const attempts = [attempt(1_000), attempt(1_999), attempt(2_997)];
  expect(pacingStarts(attempts, 0).early).toBe(1);
});

test("the gap of the first start that is shown counts from the one before the period", () => {
  const { starts } = pacingStarts([attempt(1_000), attempt(2_500)], 2_000);
  expect(starts).toMatchObject([{ atMs: 2_500, gapMs: 1_500 }]);
});

test("a Retry-After is a wait from the end of its attempt", () => {
  const asked = attempt(1_000, { outcome: "retry", isSlowDown: true, retryAfterMs: 30_000 });
  expect(pacingStarts([asked], 0).waits).toEqual([{ fromMs: 1_200, untilMs: 31_200, task: 1 }]);
  expect(pacingStarts([asked], 31_201).waits).toEqual([]);
});
