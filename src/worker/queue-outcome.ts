import type { Random } from "../base/random.ts";
import type { FinishInput } from "../queue/index.ts";
import { retryDelayMs, type RetryPolicy } from "./failure.ts";
import type { AttemptOutcome, SlowDown } from "./outcome.ts";

/** The outcomes that a worker reports. A crashed worker cannot report its crash. */
export type TaskOutcome = Exclude<FinishInput["outcome"], { readonly kind: "crash" }>;

/**
 * Converts the outcome of a handler for the queue: a retry gets its delay, and the last attempt of
 * a kind is a failure.
 */
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
      const hasDelay = delayMs !== undefined;
      return {
        kind: "retry",
        reason,
        delayMs: hasDelay ? leastMs : retryDelayMs(policy, { used, leastMs, random }),
        ...stackOf(outcome),
      };
    }
  }
}

const stackOf = ({ stack }: { readonly stack?: string }) => (stack === undefined ? {} : { stack });

/**
 * The delay that the host asked for. Invalid values, such as a date that was parsed as a number,
 * count as 0.
 */
const askedMs = ({ retryAfterMs = 0 }: SlowDown = {}) =>
  retryAfterMs > 0 ? Math.min(retryAfterMs, askedMsMax) : 0;
const askedMsMax = 30 * 86_400_000;
