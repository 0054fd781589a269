import { AppError, isErrorNamed } from "../base/app-error.ts";
import type { Random } from "../base/random.ts";
import type { AttemptOutcome, SlowDown } from "./outcome.ts";

/** Thrown by a handler if no later attempt can succeed: the task fails at once. */
export class PermanentError extends Error {
  override readonly name = "PermanentError";

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isErrorNamed(value, "PermanentError");
  }
}

/**
 * Thrown by a handler if the host asks for fewer requests: its gate slows down for the whole fleet.
 */
export class SlowDownError extends Error {
  override readonly name = "SlowDownError";
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: SlowDown & { readonly cause?: unknown } = {}) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isErrorNamed(value, "SlowDownError");
  }
}

/** How long a kind waits between attempts, and how many attempts it has. */
export interface RetryPolicy {
  /** The upper bound of the first wait; it doubles with each attempt. */
  readonly delayMs: number;
  readonly delayMsMax: number;
  /** The limit of attempts, even if the task allows more. */
  readonly attempts: number;
}

export const retryDefaults: RetryPolicy = {
  delayMs: 2_000,
  delayMsMax: 900_000,
  attempts: 1_000,
};

/** The outcome of an attempt that threw. An error that is not known to be permanent is retried. */
export function outcomeOf(error: unknown): AttemptOutcome {
  const thrown = { reason: reasonOf(error), ...stackOf(error) };
  if (!isError(error)) return { kind: "retry", ...thrown };
  if (error instanceof PermanentError) return { kind: "fail", ...thrown };
  if (error instanceof AppError && error.kind === "invalid") return { kind: "fail", ...thrown };
  if (error instanceof SlowDownError) {
    const { retryAfterMs } = error;
    return {
      kind: "retry",
      ...thrown,
      slowDown: retryAfterMs === undefined ? {} : { retryAfterMs },
    };
  }
  return { kind: "retry", ...thrown };
}

/**
 * The wait before the next attempt: full jitter, so that tasks that failed at the same time are not
 * retried at the same time, and never shorter than the host asked for.
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function retryDelayMs(
  policy: Pick<RetryPolicy, "delayMs" | "delayMsMax">,
  { used, leastMs, random }: { used: number; leastMs: number; random: Random },
): number {
  const longest = Math.min(policy.delayMsMax, policy.delayMs * 2 ** Math.min(used - 1, 40));
  return Math.max(leastMs, Math.round(random.next() * longest));
}

export function reasonOf(error: unknown): string {
  const [first, ...causes] = errorsOf(error);
  if (!first) return `threw ${describe(error)}`;
  const text = (one: Error) =>
    [textOf(one, "name"), textOf(one, "message")].filter((part) => part !== "").join(": ");
  return text(first) + causes.reduceRight((inner, cause) => ` (${text(cause)}${inner})`, "");
}

/** The stack traces of the error and its causes, without the message, which is in the reason. */
function stackOf(error: unknown): { readonly stack?: string } {
  const lines = errorsOf(error).flatMap((one, index) => {
    const calls = textOf(one, "stack")
      .split("\n")
      .filter((line) => /^\s+at /.test(line));
    const kept = calls.slice(0, callsKeptMax).map((line) => line.trim());
    return index === 0 || kept.length === 0 ? kept : [`caused by ${textOf(one, "name")}`, ...kept];
  });
  return lines.length > 0 ? { stack: lines.join("\n") } : {};
}
const callsKeptMax = 20;

/** The error and its causes. The chain of causes may be circular. */
function errorsOf(error: unknown): readonly Error[] {
  const found: Error[] = [];
  for (let one = error; isError(one) && found.length < causesMax; one = causeOf(one)) {
    if (found.includes(one)) break;
    found.push(one);
  }
  return found;
}
const causesMax = 10;

/** A connection that failed on every address has no message: its first error has the reason. */
function causeOf(error: Error): unknown {
  const cause = valueOf(error, "cause");
  if (cause !== undefined || !(error instanceof AggregateError)) return cause;
  const errors = valueOf(error, "errors");
  return Array.isArray(errors) ? errors[0] : undefined;
}

/*
 * Errors come from foreign code. Their properties may have any type, and reading them may throw.
 * That must not affect the worker, which would end with all its tasks.
 */
function isError(value: unknown): value is Error {
  try {
    return value instanceof Error;
  } catch {
    return false; // a proxy
  }
}

function valueOf(error: Error, property: string): unknown {
  try {
    return Reflect.get(error, property);
  } catch {
    return "(cannot be read)";
  }
}

function textOf(error: Error, property: "name" | "message" | "stack"): string {
  const value = valueOf(error, property);
  return typeof value === "string" ? value : describe(value);
}

function describe(value: unknown): string {
  try {
    return String(value).slice(0, 200);
  } catch {
    return `a ${typeof value} that has no text`;
  }
}
