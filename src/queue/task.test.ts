import { expect, test } from "vitest";
import { endedAttempts, lastReason, type Attempt } from "./task.ts";

const attempt = (outcome: Attempt["outcome"], reason: string): Attempt => ({
  token: 1,
  atMs: 1,
  outcome,
  reason,
});

test("the retry that had no attempt left is a failure; earlier ones stay retries", () => {
  const attempts = [attempt("retry", "one"), attempt("retry", "two")];
  const outcomes = (state: "failed" | "pending") =>
    endedAttempts({ state, attempts }).map(({ outcome }) => outcome);
  expect(outcomes("failed")).toEqual(["retry", "fail"]);
  expect(outcomes("pending")).toEqual(["retry", "retry"]);
  const crashed = [attempt("crash", "gone")];
  expect(endedAttempts({ state: "failed", attempts: crashed })).toEqual(crashed);
  expect(endedAttempts({ state: "failed", attempts: [] })).toEqual([]);
});

test("a task that is done has no reason, though an earlier attempt had one", () => {
  const attempts = [attempt("retry", "timeout")];
  expect(lastReason({ state: "done", attempts })).toBe("");
  expect(lastReason({ state: "pending", attempts })).toBe("timeout");
  expect(lastReason({ state: "failed", attempts: [] })).toBe("");
});
