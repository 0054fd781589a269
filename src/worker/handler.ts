import { AppError } from "../base/app-error.ts";
import { docsPage } from "../base/docs-page.ts";
import type { Logger } from "../base/logger.ts";
import type { LeasedTask } from "../queue/index.ts";
import { retryDefaults, type RetryPolicy } from "./failure.ts";
import type { HandlerOutcome } from "./outcome.ts";
import type { Bounds } from "./politeness.ts";

/** What a handler is given. Signal and log are made when they are asked for. */
export interface HandlerContext<Payload = unknown, Services = unknown> {
  readonly task: HandledTask<Payload>;
  /**
   * Fires when the work is worth nothing any more: its lease is lost, its time is up, the worker
   * must end. Pass it on to everything that waits; what is returned afterwards is dropped.
   */
  readonly signal: AbortSignal;
  /** Says how far it is. Shown where the work is looked at; does not prolong its time. */
  readonly progress: (note: string) => void;
  /**
   * For tasks of a gate: the request goes out now, so the gap to the next is counted from here and
   * not from the call of the handler.
   */
  readonly markStart: () => void;
  readonly log: Logger;
  /** What the program that created the worker passes to all handlers. */
  readonly services: Services;
}

/** The task as it was leased, with its payload checked. */
export type HandledTask<Payload> = Omit<LeasedTask, "kind" | "payload"> & {
  readonly kind: string;
  readonly payload: Payload;
};

/** Checks a payload: returns it, perhaps completed, or throws. Every Zod schema is one. */
export interface PayloadSchema<Payload> {
  parse(value: unknown): Payload;
}

export type HandlerResult = HandlerOutcome | void;
export type RunHandler<Payload, Services> = (
  context: HandlerContext<Payload, Services>,
) => HandlerResult | Promise<HandlerResult>;

export interface HandlerOptions {
  /** The longest an attempt may take, default 5 minutes. */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetryPolicy>;
  /** At most `limit` tasks with the same key at work in one worker, whatever the gates allow. */
  readonly cap?: Cap;
  /** Lets the delay of a task's gate follow how its host answers, within these bounds. */
  readonly politeness?: (gate: string) => Bounds | undefined;
  /**
   * What a task that is done brought, from its result: companies found, emails. A kind that counts
   * it is watched for work that goes on and brings nothing.
   */
  readonly yields?: (result: unknown) => number;
}

export interface Cap {
  readonly limit: number;
  readonly key: (task: HandledTask<unknown>) => string;
}

/** One kind of work: how its payload looks and what to do with it. */
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

/** Defines how tasks of `kind` are done. The payload's type is the schema's. */
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
    throw wrong(kind, `has a retry policy that makes no sense: see ${docsPage("worker.md")}`);
  }
  return { kind, schema, run, timeoutMs, retry: policy, cap, politeness, yields };
}

const wrong = (kind: string, what: string) =>
  new AppError("invalid", "bad_handler", `the handler ${kind} ${what}`);
