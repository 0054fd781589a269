import type { Clock, Timer } from "./clock.ts";
import type { Service } from "./service.ts";

export interface EveryOptions {
  readonly clock: Clock;
  /** The pause after a run; it may depend on how long the run took. */
  readonly pauseMs: number | ((tookMs: number) => number);
  /** True if the first run waits for the first pause. */
  readonly isDelayed?: boolean;
  /** Called if a run fails. The next run comes after the usual pause. */
  readonly onError: (error: unknown) => void;
}

/**
 * Repeats work with a pause after each run, so two runs never overlap. `start` does not wait for the
 * first run. `stop` waits for the run that is under way; its signal has fired by then.
 */
export function every(
  work: (signal: AbortSignal) => Promise<void>,
  { clock, pauseMs, isDelayed = false, onError }: EveryOptions,
): Service {
  const stopping = new AbortController();
  const { signal } = stopping;
  let timer: Timer | undefined;
  let running: Promise<void> = Promise.resolve();

  const pauseAfter = (tookMs: number) => {
    const delayMs = typeof pauseMs === "number" ? pauseMs : pauseMs(tookMs);
    timer = clock.setTimer(delayMs, run, { background: true });
  };
  function run(): void {
    const startMs = clock.monotonicMs();
    running = work(signal)
      .catch(onError)
      .then(() => {
        if (!signal.aborted) pauseAfter(clock.monotonicMs() - startMs);
      });
  }

  return {
    async start() {
      if (isDelayed) pauseAfter(0);
      else run();
    },
    async stop() {
      stopping.abort();
      timer?.cancel();
      await running;
    },
  };
}
