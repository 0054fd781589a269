import { expect, test } from "vitest";
import { endedAttempts, isRetriedByHand, lastReason, type Attempt, type Task } from "./task.ts";

const attempt = (outcome: Attempt["outcome"], reason: string): Attempt => ({
  token: 1,
  atMs: 1,
  outcome,
  reason,
});

test("the retry that had no attempt left is a failure, also once the task was retried by hand", () => {
  const attempts = ["one", "two", "three", "four"].map((reason) => attempt("retry", reason));
  const outcomes = (state: Task["state"], used: number, count = 2) =>
    endedAttempts({ state, used, attemptsMax: 2, attempts: attempts.slice(0, count) })
      .map(({ outcome }) => outcome)
      .join(" ");
  expect(outcomes("failed", 2)).toBe("retry fail");
  // In its first round of attempts.
  expect(outcomes("pending", 1, 1)).toBe("retry");
  expect(outcomes("running", 2, 1)).toBe("retry");
  expect(outcomes("done", 2, 1)).toBe("retry");
  expect(outcomes("skipped", 1)).toBe("retry retry");
  // Retried by hand.
  expect(outcomes("pending", 0)).toBe("retry fail");
  expect(outcomes("running", 1)).toBe("retry fail");
  expect(outcomes("done", 1)).toBe("retry fail");
  expect(outcomes("pending", 1, 3)).toBe("retry fail retry");
  expect(outcomes("failed", 2, 4)).toBe("retry fail retry fail");
  expect(outcomes("pending", 0, 4)).toBe("retry fail retry fail");
  const crashed = { state: "failed", used: 1, attemptsMax: 1, attempts: [attempt("crash", "gone")] } as const; // prettier-ignore
  expect(endedAttempts(crashed)).toEqual(crashed.attempts);
  expect(endedAttempts({ ...crashed, attempts: [] })).toEqual([]);

  const isRetried = (used: number, count: number) =>
    isRetriedByHand({ state: "pending", used, attemptsMax: 2, attempts: attempts.slice(0, count) });
  expect([isRetried(0, 2), isRetried(1, 3), isRetried(1, 1), isRetried(0, 0)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test("a task that is done has no reason, though an earlier attempt had one", () => {
  const attempts = [attempt("retry", "timeout")];
  expect(lastReason({ state: "done", attempts })).toBe("");
  expect(lastReason({ state: "pending", attempts })).toBe("timeout");
  expect(lastReason({ state: "failed", attempts: [] })).toBe("");
});
