import type { Clock } from "../base/clock.ts";
import type { InFlightTask } from "./tasks/in-flight-task.ts";
import { slowDownOf, type HandlerOutcome } from "./outcome.ts";

/**
 * One attempt at a task, as the worker that made it measured it. The queue stores only when an
 * attempt ended.
 */
export interface AttemptRecord {
  readonly task: number;
  readonly token: number;
  readonly kind: string;
  /** Empty: the task has no gate. */
  readonly gate: string;
  /** By the wall clock of this machine. */
  readonly startedAtMs: number;
  readonly ranMs: number;
  /** Later requests to the host that the handler reported, in milliseconds after the start. */
  readonly sentMs: readonly number[];
  /** The delay between two starts that the gate asked for when this attempt started. */
  readonly delayMs: number;
  /** "lost": the lease was lost while the handler ran. */
  readonly outcome: HandlerOutcome["kind"] | "lost";
  /** The host asked for fewer requests. */
  readonly isSlowDown: boolean;
  /** The wait that the host asked for; 0: none. */
  readonly retryAfterMs: number;
}

/** The most requests that the record of one attempt lists. */
export const sentMax = 100;

/** The record of an attempt that ends now. */
export function attemptRecord(
  { lease, startedAtMs, delayMs, sentMs }: InFlightTask,
  outcome: HandlerOutcome | { readonly kind: "lost" },
  clock: Clock,
): AttemptRecord {
  const ranMs = clock.monotonicMs() - startedAtMs;
  const slowDown = outcome.kind === "lost" ? undefined : slowDownOf(outcome);
  const { retryAfterMs = 0 } = slowDown ?? {};
  return {
    task: lease.id,
    token: lease.token,
    kind: lease.kind,
    gate: lease.gate,
    startedAtMs: clock.nowMs() - ranMs,
    ranMs,
    sentMs: sentMs ?? [],
    delayMs,
    outcome: outcome.kind,
    isSlowDown: slowDown !== undefined,
    retryAfterMs: retryAfterMs > 0 ? retryAfterMs : 0,
  };
}

/** A record and where the attempt ran. */
export interface SeenAttempt extends AttemptRecord {
  readonly node: string;
  /** The name of the worker process. */
  readonly worker: string;
}
