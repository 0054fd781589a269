import { AppError } from "../base/app-error.ts";
import { docsPage } from "../base/files/docs-page.ts";
import type { Logger } from "../base/log/logger.ts";
import type { LeasedTask } from "../queue/index.ts";
import { retryDefaults, type RetryPolicy } from "./failure.ts";
import type { HandlerOutcome } from "./outcome.ts";
import type { Bounds } from "./politeness.ts";

/** The argument of a handler. Signal and logger are created when they are first used. */
export interface HandlerContext<Payload = unknown, Services = unknown> {
  readonly task: HandledTask<Payload>;
  /**
   * Fires when the result is not needed any more: the lease is lost, the time limit is reached, or
   * the worker must end. Pass it to everything that waits. After that, the return value is ignored.
   */
  readonly signal: AbortSignal;
  /** Reports progress, which is shown with the task. It does not extend the time limit. */
  readonly progress: (note: string) => void;
  /**
   * For tasks of a gate: call it when the request is sent, so that the delay of the gate counts
   * from then and not from the call of the handler.
   */
  readonly markStart: () => void;
  readonly log: Logger;
  /** What the program that created the worker passes to all handlers. */
  readonly services: Services;
}

/** The task as it was leased, with its validated payload. */
export type HandledTask<Payload> = Omit<LeasedTask, "kind" | "payload"> & {
  readonly kind: string;
  readonly payload: Payload;
};

/** Validates a payload: returns it, possibly with defaults, or throws. Every Zod schema is one. */
export interface PayloadSchema<Payload> {
  parse(value: unknown): Payload;
}

export type HandlerResult = HandlerOutcome | void;
export type RunHandler<Payload, Services> = (
  context: HandlerContext<Payload, Services>,
) => HandlerResult | Promise<HandlerResult>;

export interface HandlerOptions {
  /** The time limit of an attempt, default 5 minutes. */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetryPolicy>;
  /**
   * At most `limit` tasks with the same key run at once in one worker, in addition to the limits of
   * gates.
   */
  readonly cap?: Cap;
  /** Lets the delay of a task's gate adapt to the answers of its host, within these bounds. */
  readonly politeness?: (gate: string) => Bounds | undefined;
  /**
   * How much a task produced, from its result: the number of companies or emails. A kind that has
   * this is monitored for tasks that succeed and produce nothing.
   */
  readonly yields?: (result: unknown) => number;
}

export interface Cap {
  readonly limit: number;
  readonly key: (task: HandledTask<unknown>) => string;
}

/** One kind of task: the schema of its payload, and the function that does it. */
export interface Handler<Services = never> {
  readonly kind: string;
  readonly schema: PayloadSchema<unknown>;
  readonly run: RunHandler<never, Services>;
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
  readonly cap: Cap | undefined;
  readonly politeness: ((gate: string) => Bounds | undefined) | undefined;
  readonly yields: ((result: unknown) => number) | undefined;
}

const timeoutMsDefault = 300_000;
export const timeoutMsMax = 86_400_000;

/** Defines how tasks of `kind` are done. The payload has the type of the schema. */
export function defineHandler<Payload, Services = unknown>(
  kind: string,
  schema: PayloadSchema<Payload>,
  run: RunHandler<Payload, Services>,
  options: HandlerOptions = {},
): Handler<Services> {
  if (typeof kind !== "string" || kind === "") throw wrong("a handler", "needs a kind");
  const { timeoutMs = timeoutMsDefault, cap, politeness, yields } = options;
  if (typeof run !== "function") throw wrong(kind, "has no function to run");
  if (typeof schema?.parse !== "function") throw wrong(kind, "has a schema without parse()");
  if (!(timeoutMs >= 1 && timeoutMs <= timeoutMsMax)) {
    throw wrong(kind, `has a timeoutMs of ${timeoutMs}: give 1 to ${timeoutMsMax}`);
  }
  if (cap && !(Number.isInteger(cap.limit) && cap.limit >= 1)) {
    throw wrong(kind, `has a cap of ${cap.limit}: give a whole number from 1`);
  }
  const policy = { ...retryDefaults, ...options.retry };
  if (!(policy.attempts >= 1 && policy.delayMs >= 0 && policy.delayMsMax >= policy.delayMs)) {
    throw wrong(kind, `has a retry policy that is not valid: see ${docsPage("worker.md")}`);
  }
  return { kind, schema, run, timeoutMs, retry: policy, cap, politeness, yields };
}

const wrong = (kind: string, what: string) =>
  new AppError("invalid", "bad_handler", `the handler ${kind} ${what}`);
