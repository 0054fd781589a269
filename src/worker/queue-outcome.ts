import type { Random } from "../base/random.ts";
import type { FinishInput } from "../queue/index.ts";
import { retryDelayMs, type RetryPolicy } from "./failure.ts";
import type { AttemptOutcome, SlowDown } from "./outcome.ts";

/** How a worker ends its tasks: that it crashed, it cannot report itself. */
export type TaskOutcome = Exclude<FinishInput["outcome"], { readonly kind: "crash" }>;

/** What the queue is told: a retry gets its moment, and the last attempt of a kind is a failure. */
export function queueOutcome(
  outcome: AttemptOutcome,
  policy: RetryPolicy,
  used: number,
  random: Random,
): TaskOutcome {
  switch (outcome.kind) {
    case "done":
      return outcome.result === undefined
        ? { kind: "done" }
        : { kind: "done", result: outcome.result };
    case "skip":
      return { kind: "skip", reason: outcome.reason };
    case "fail":
      return { kind: "fail", reason: outcome.reason, ...stackOf(outcome) };
    case "retry": {
      const { reason, delayMs, slowDown } = outcome;
      if (used >= policy.attempts) return { kind: "fail", reason, ...stackOf(outcome) };
      const leastMs = Math.max(delayMs ?? 0, askedMs(slowDown));
      const isTold = delayMs !== undefined;
      return {
        kind: "retry",
        reason,
        delayMs: isTold ? leastMs : retryDelayMs(policy, { used, leastMs, random }),
        ...stackOf(outcome),
      };
    }
  }
}

const stackOf = ({ stack }: { readonly stack?: string }) => (stack === undefined ? {} : { stack });

/** What the other side asked for. Nonsense, such as a date read as a number, asks for nothing. */
const askedMs = ({ retryAfterMs = 0 }: SlowDown = {}) =>
  retryAfterMs > 0 ? Math.min(retryAfterMs, askedMsMax) : 0;
const askedMsMax = 30 * 86_400_000;
