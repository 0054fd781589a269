import { expect, test } from "vitest";
import { activityOf } from "./attempt-activity.ts";
import type { SeenAttempt } from "./attempt-record.ts";

const attempt = (kind: string, startedAtMs: number, ranMs: number): SeenAttempt => ({
  task: 1,
  token: startedAtMs,
  kind,
  gate: `${kind}.example`,
  startedAtMs,
  ranMs,
  sentMs: [],
  delayMs: 0,
  outcome: "done",
  isSlowDown: false,
  retryAfterMs: 0,
  node: "pi-2",
  worker: "pi-2.1.77",
});
const period = { fromMs: 1_000, untilMs: 2_000, steps: 4 };

test("counts starts by step, and how many ran at once on average", () => {
  const attempts = [
    attempt("enrich", 1_000, 100),
    attempt("enrich", 1_749, 1),
    attempt("enrich", 1_900, 500),
    attempt("discover", 900, 200),
  ];
  expect(activityOf(attempts, { ...period, by: "kind" })).toMatchObject([
    // It started before, so it is no start, but it ran for a tenth of the time.
    { name: "discover", starts: [0, 0, 0, 0], busy: 0.1, runs: { count: 1 } },
    { name: "enrich", starts: [1, 0, 1, 1], runs: { count: 3 } },
  ]);
  const [, { busy } = { busy: 0 }] = activityOf(attempts, { ...period, by: "kind" });
  expect(busy).toBeCloseTo(0.201);
});

test("of the named hosts only, and not of what ended before", () => {
  const attempts = [attempt("a", 1_100, 10), attempt("b", 1_100, 10), attempt("a", 500, 100)];
  const names = ["a.example", "c.example"];
  const found = activityOf(attempts, { ...period, by: "gate", names });
  expect(found).toMatchObject([{ name: "a.example", runs: { count: 1 } }]);
});
