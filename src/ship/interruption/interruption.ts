import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Service } from "../../base/service.ts";
import { sleep } from "../../base/clock.ts";

/** A machine will be taken away soon. */
export interface InterruptionNotice {
  /** What the provider says will happen: "terminate", "preempted", … */
  readonly what: string;
  /** How much time is left, at least; undefined: the source does not say. */
  readonly leftMs: number | undefined;
}

/** Where a notice comes from. */
export interface InterruptionSource {
  readonly name: string;
  /** How often to ask, as the provider advises. */
  readonly everyMs: number;
  /** Undefined: nothing is announced. Rejects if the source does not answer. */
  read(signal: AbortSignal): Promise<InterruptionNotice | undefined>;
}

export interface InterruptionWatchOptions {
  readonly source: InterruptionSource;
  readonly onNotice: (notice: InterruptionNotice) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A source that does not answer is logged once, then asked this often. */
const awayMs = 60_000;

/** Asks a source until it announces the end of the machine. `onNotice` is called once. */
export function watchInterruption(options: InterruptionWatchOptions): Service {
  const { source, onNotice, clock, log } = options;
  const over = new AbortController();
  let watching: Promise<void> = Promise.resolve();

  async function watch(): Promise<void> {
    let isAway = false;
    while (!over.signal.aborted) {
      try {
        const notice = await source.read(over.signal);
        if (over.signal.aborted) return;
        if (notice) {
          const { what, leftMs } = notice;
          log.warn("this machine will be taken away", { source: source.name, what, leftMs });
          return onNotice(notice);
        }
        isAway = false;
      } catch (error) {
        if (over.signal.aborted) return;
        if (!isAway) log.warn("interruptions cannot be watched", { source: source.name, error });
        isAway = true;
      }
      await sleep(clock, isAway ? awayMs : source.everyMs, over.signal).catch(() => {});
    }
  }

  return {
    async start() {
      watching = watch();
    },
    async stop() {
      over.abort();
      await watching;
    },
  };
}

/** Of a notice that says no time: enough to store what is in progress, on every provider. */
const leftMsDefault = 30_000;
/** For what follows the tasks: storing how they ended, and sending the journal to the bucket. */
const storeMs = 15_000;
const graceMsMin = 1_000;

/** How long tasks in progress may go on after a notice. */
export function graceAfterNotice({ leftMs = leftMsDefault }: InterruptionNotice, graceMs: number) {
  return Math.max(Math.min(graceMs, graceMsMin), Math.min(graceMs, leftMs - storeMs));
}
