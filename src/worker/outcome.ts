import type { RaiseInput, TaskInput } from "../queue/index.ts";

/**
 * How a handler ends its task. Returning nothing means `done` without a result. If it throws, the
 * type of the error decides, see failure.ts.
 */
export type HandlerOutcome =
  | (With & { readonly kind: "done"; readonly result?: unknown })
  | (With & { readonly kind: "skip"; readonly reason: string })
  | (With & {
      readonly kind: "retry";
      readonly reason: string;
      /** The least delay before the next attempt; absent: by the kind's retry policy. */
      readonly delayMs?: number;
      readonly slowDown?: SlowDown;
      /** The stack trace of the error, stored with the task for people. */
      readonly stack?: string;
    })
  | (With & {
      readonly kind: "fail";
      readonly reason: string;
      readonly slowDown?: SlowDown;
      readonly stack?: string;
    })
  | {
      readonly kind: "release";
      readonly reason: string;
      /**
       * False: only this task cannot be done now, so the worker continues with others of its kind.
       */
      readonly isKindHeld?: boolean;
      /** False: the node lacks nothing, so no warning is logged. Absent: same as `isKindHeld`. */
      readonly isLacking?: boolean;
    };

/** An outcome that ends the attempt. */
export type AttemptOutcome = Exclude<HandlerOutcome, { readonly kind: "release" }>;

/** Stored in the same step as the finish. */
export interface With {
  readonly add?: readonly TaskInput[];
  readonly raise?: readonly RaiseInput[];
  /**
   * Called after the queue has stored the outcome with all of this; never called if the lease was
   * lost.
   */
  readonly onStored?: () => void;
}

/** The host asked for fewer requests: 429, 503, or it stopped answering. */
export interface SlowDown {
  /** The value of its Retry-After, if any. */
  readonly retryAfterMs?: number;
}

export const done = (result?: unknown, more: With = {}): HandlerOutcome => ({
  kind: "done",
  ...(result === undefined ? {} : { result }),
  ...more,
});

/** Not worth doing, now or later; counted separately from `done`. */
export const skip = (reason: string, more: With = {}): HandlerOutcome => ({
  kind: "skip",
  reason,
  ...more,
});

export const retry = (
  reason: string,
  more: With & { readonly delayMs?: number; readonly slowDown?: SlowDown } = {},
): HandlerOutcome => ({ kind: "retry", reason, ...more });

/** No later attempt could succeed: the task fails at once. */
export const fail = (
  reason: string,
  more: With & { readonly slowDown?: SlowDown } = {},
): HandlerOutcome => ({ kind: "fail", reason, ...more });

/**
 * This node lacks something that the task needs, and another node may have it. The attempt does not
 * count, and this worker claims no task of the kind for a while, unless `isKindHeld` is false. If
 * `isLacking` is false, the task only has to wait, and no warning is logged.
 */
export const release = (
  reason: string,
  { isKindHeld = true, isLacking = isKindHeld }: ReleaseOptions = {},
): HandlerOutcome => ({
  kind: "release",
  reason,
  ...(!isKindHeld && { isKindHeld }),
  ...(isLacking !== isKindHeld && { isLacking }),
});

export interface ReleaseOptions {
  readonly isKindHeld?: boolean;
  readonly isLacking?: boolean;
}

const kinds = new Set(["done", "skip", "retry", "fail", "release"]);

export function isOutcome(value: unknown): value is HandlerOutcome {
  if (typeof value !== "object" || value === null) return false;
  const { kind } = value as { readonly kind?: unknown };
  return typeof kind === "string" && kinds.has(kind);
}

/**
 * Copies only the known properties of an outcome and reads each once: a handler may return an
 * object with more properties, or with getters that throw.
 */
export function copyOutcome(outcome: HandlerOutcome): HandlerOutcome {
  if (outcome.kind === "release") {
    const isKindHeld = outcome.isKindHeld !== false;
    const isLacking = (outcome.isLacking ?? isKindHeld) !== false;
    return release(outcome.reason, { isKindHeld, isLacking });
  }
  const { add, raise, onStored } = outcome;
  const more = {
    ...(add && { add }),
    ...(raise && { raise }),
    ...(typeof onStored === "function" && { onStored }),
  };
  switch (outcome.kind) {
    case "done": {
      const { result } = outcome;
      return { kind: "done", ...(result !== undefined && { result }), ...more };
    }
    case "skip":
      return { kind: "skip", reason: outcome.reason, ...more };
    case "retry": {
      const { reason, delayMs, slowDown, stack } = outcome;
      return {
        kind: "retry",
        reason,
        ...(delayMs !== undefined && { delayMs }),
        ...(slowDown && { slowDown: { ...slowDown } }),
        ...(stack !== undefined && { stack }),
        ...more,
      };
    }
    case "fail": {
      const { reason, slowDown, stack } = outcome;
      return {
        kind: "fail",
        reason,
        ...(slowDown && { slowDown: { ...slowDown } }),
        ...(stack !== undefined && { stack }),
        ...more,
      };
    }
  }
}

export const slowDownOf = (outcome: HandlerOutcome): SlowDown | undefined =>
  outcome.kind === "retry" || outcome.kind === "fail" ? outcome.slowDown : undefined;
