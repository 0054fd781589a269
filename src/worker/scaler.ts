import type { Clock, Timer } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Metrics } from "../base/metrics.ts";

/** How many handlers a worker may have at work, and how that is decided. */
export interface ScalerSettings {
  readonly min: number;
  readonly max: number;
  /** At `min` = `max` nothing is decided: the mode is fixed. */
  readonly everyMs?: number;
}

/** What a decision is made from. */
export interface ScalerReading {
  readonly concurrency: number;
  readonly atWork: number;
  /** Tasks that nothing but the lack of workers keeps from running. */
  readonly claimable: number;
  /** Tasks that wait for their gate or their job's cap. */
  readonly gated: number;
  /** The longest the event loop was late since the last reading. */
  readonly loopLagMs: number;
  /** Of what the process may use, 0–1. */
  readonly memoryShare: number;
  /** Of the attempts that ended since the last reading; undefined when too few did. */
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

/** Trouble first, each by half; growth by half at most, so that it can be taken back in time. */
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
  /** Takes effect with the next evaluation. */
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
/** Tasks come first: reading the queue may take one part in so many of the time. */
const restFactor = 20;

/** Evaluates again and again. Each evaluation is counted by its reason; changes are logged. */
export function createScaler(options: ScalerOptions): Scaler {
  const { read, apply, clock, logger } = options;
  let { settings } = options;
  const evaluations = options.metrics.counter({
    name: "forager_scaler_evaluations_total",
    help: "Evaluations of the scaler by what was decided and why.",
    labels: ["decision", "reason"],
  });
  const target = options.metrics.gauge({
    name: "forager_scaler_concurrency",
    help: "Handlers that may be at work at once, as the scaler decided.",
  });
  let last: Decision | undefined;
  let timer: Timer | undefined;
  let work: Promise<void> = Promise.resolve();
  let isStopped = false;

  async function evaluate(): Promise<void> {
    const before = options.concurrency();
    const isFixed = settings.min === settings.max;
    const decided = isFixed ? to(settings.min, before, "fixed") : decide(await read(), settings);
    evaluations.of(decided.decision, decided.reason).add(1);
    target.of().set(decided.concurrency);
    if (decided.decision !== "no_change") apply(decided.concurrency);
    // A reason that lasts is told once; each change of the number is told.
    if (decided.decision !== "no_change" || decided.reason !== last?.reason) {
      // What somebody fixed is no news to them.
      const isNews = decided.decision !== "no_change" || decided.reason !== "fixed";
      logger[isNews ? "info" : "debug"]("concurrency decided", { ...decided, before });
    }
    last = decided;
  }

  function repeat(inMs: number): void {
    timer = clock.setTimer(inMs, run, { background: true });
  }
  function run(): void {
    const startMs = clock.monotonicMs();
    work = evaluate()
      .catch((error: unknown) => logger.warn("concurrency could not be decided", { error }))
      .then(() => {
        const tookMs = clock.monotonicMs() - startMs;
        if (!isStopped) repeat(Math.max(everyMs(), tookMs * restFactor));
      });
  }
  const everyMs = () => settings.everyMs ?? everyMsDefault;

  return {
    start: () => repeat(everyMs()),
    async stop() {
      isStopped = true;
      timer?.cancel();
      await work;
    },
    configure: (changed) => void (settings = changed),
    last: () => last,
  };
}
