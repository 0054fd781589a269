import { every } from "../../base/every.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Metrics } from "../../base/metrics.ts";

/** How many handlers a worker may run, and how often that is decided. */
export interface ScalerSettings {
  readonly min: number;
  readonly max: number;
  /** Time between decisions. If `min` = `max`, nothing is decided: the mode is fixed. */
  readonly everyMs?: number;
}

/** The input of a decision. */
export interface ScalerReading {
  readonly concurrency: number;
  readonly atWork: number;
  /** Tasks that wait only for a worker. */
  readonly claimable: number;
  /** Tasks that wait for their gate or their job's cap. */
  readonly gated: number;
  /** The longest delay of the event loop since the last reading. */
  readonly loopLagMs: number;
  /** The used share of the memory that the process may use, 0–1. */
  readonly memoryShare: number;
  /**
   * The share of failures among the attempts since the last reading; undefined if there were too
   * few.
   */
  readonly errorShare: number | undefined;
}

export interface Decision {
  readonly decision: "scale_up" | "scale_down" | "no_change";
  readonly reason: ScaleReason;
  readonly concurrency: number;
}

export type ScaleReason =
  | "fixed" //           min and max are the same
  | "event_loop_lag" //  the process cannot keep up: fewer
  | "memory" //          fewer, before the system ends it
  | "errors" //          most attempts fail: fewer, until that is over
  | "backlog" //         all slots are busy and more could run: more
  | "at_max"
  | "at_min"
  | "gates" //           what waits, waits for its gates: more slots would not help
  | "idle" //            slots are empty: fewer
  | "steady";

export const lagMsMax = 200;
export const memoryShareMax = 0.85;
export const errorShareMax = 0.5;

/**
 * Problems come first, and halve the number. It grows by at most half, so that it can be reduced in
 * time.
 */
export function decide(reading: ScalerReading, { min, max }: ScalerSettings): Decision {
  const { concurrency, atWork, claimable, gated } = reading;
  if (min === max) return to(min, concurrency, "fixed");
  const fewer = (reason: ScaleReason) =>
    concurrency <= min
      ? to(min, concurrency, concurrency < min ? reason : "at_min")
      : to(Math.max(min, Math.floor(concurrency / 2)), concurrency, reason);
  if (reading.memoryShare > memoryShareMax) return fewer("memory");
  if (reading.loopLagMs > lagMsMax) return fewer("event_loop_lag");
  if ((reading.errorShare ?? 0) > errorShareMax) return fewer("errors");
  if (concurrency < min) return to(min, concurrency, "at_min");
  if (atWork >= concurrency && claimable > 0) {
    if (concurrency >= max) return to(max, concurrency, "at_max");
    const more = Math.min(claimable, Math.max(1, Math.ceil(concurrency / 2)));
    return to(Math.min(max, concurrency + more), concurrency, "backlog");
  }
  if (concurrency > max) return to(max, concurrency, "at_max");
  if (claimable === 0 && gated > 0) return to(concurrency, concurrency, "gates");
  if (claimable === 0 && atWork < concurrency / 2) {
    if (concurrency === min) return to(min, concurrency, "at_min");
    const enough = Math.max(min, atWork, Math.floor(concurrency * 0.75));
    return to(enough, concurrency, "idle");
  }
  return to(concurrency, concurrency, "steady");
}

function to(concurrency: number, before: number, reason: ScaleReason): Decision {
  const decision =
    concurrency > before ? "scale_up" : concurrency < before ? "scale_down" : "no_change";
  return { decision, reason, concurrency };
}

export interface Scaler {
  start(): void;
  stop(): Promise<void>;
  /** Takes effect with the next decision. */
  configure(settings: ScalerSettings): void;
  last(): Decision | undefined;
}

export interface ScalerOptions {
  readonly settings: ScalerSettings;
  readonly read: () => Promise<ScalerReading>;
  readonly concurrency: () => number;
  readonly apply: (concurrency: number) => void;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const everyMsDefault = 5_000;
/** Tasks come first: reading the queue may take at most one part in this many of the time. */
const restFactor = 20;

/** Decides at intervals. Each decision is counted by its reason; changes are logged. */
export function createScaler(options: ScalerOptions): Scaler {
  const { read, apply, clock, logger } = options;
  let { settings } = options;
  const evaluations = options.metrics.counter({
    name: "forager_scaler_evaluations_total",
    help: "Evaluations of the scaler by decision and reason.",
    labels: ["decision", "reason"],
  });
  const target = options.metrics.gauge({
    name: "forager_scaler_concurrency",
    help: "Maximum number of concurrent handlers, set by the scaler.",
  });
  let last: Decision | undefined;

  async function evaluate(): Promise<void> {
    const before = options.concurrency();
    const isFixed = settings.min === settings.max;
    const decided = isFixed ? to(settings.min, before, "fixed") : decide(await read(), settings);
    evaluations.of(decided.decision, decided.reason).add(1);
    target.of().set(decided.concurrency);
    if (decided.decision !== "no_change") apply(decided.concurrency);
    // A reason that lasts is logged once; every change of the number is logged.
    if (decided.decision !== "no_change" || decided.reason !== last?.reason) {
      // A number that a person has fixed needs no log line.
      const isNews = decided.decision !== "no_change" || decided.reason !== "fixed";
      logger[isNews ? "info" : "debug"]("concurrency decided", { ...decided, before });
    }
    last = decided;
  }

  const repeated = every(evaluate, {
    clock,
    pauseMs: (tookMs) => Math.max(settings.everyMs ?? everyMsDefault, tookMs * restFactor),
    isDelayed: true,
    onError: (error) => logger.warn("concurrency could not be decided", { error }),
  });

  return {
    start: () => void repeated.start(),
    stop: () => repeated.stop(),
    configure: (changed) => void (settings = changed),
    last: () => last,
  };
}
