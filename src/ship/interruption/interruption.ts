import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Service } from "../../base/service.ts";
import { sleep } from "../../base/clock.ts";

/** The provider will take this machine away soon. */
export interface InterruptionNotice {
  /** The action that the provider announces: "terminate", "preempted", … */
  readonly what: string;
  /** The minimum time left; undefined if the source does not say. */
  readonly leftMs: number | undefined;
}

/** A source of interruption notices. */
export interface InterruptionSource {
  readonly name: string;
  /** The interval between two requests, as the provider recommends. */
  readonly everyMs: number;
  /** Undefined if nothing is announced. Rejects if the source does not answer. */
  read(signal: AbortSignal): Promise<InterruptionNotice | undefined>;
}

export interface InterruptionWatchOptions {
  readonly source: InterruptionSource;
  readonly onNotice: (notice: InterruptionNotice) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * If a source does not answer, this is logged once, and it is asked less and less often, at last at
 * this interval: well below the 30 seconds of the shortest notice.
 */
const awayMsMax = 10_000;

/** Polls a source until it announces the end of the machine. `onNotice` is called once. */
export function watchInterruption(options: InterruptionWatchOptions): Service {
  const { source, onNotice, clock, log } = options;
  const over = new AbortController();
  let watching: Promise<void> = Promise.resolve();

  async function watch(): Promise<void> {
    let failures = 0;
    while (!over.signal.aborted) {
      try {
        const notice = await source.read(over.signal);
        if (over.signal.aborted) return;
        if (notice) {
          const { what, leftMs } = notice;
          log.warn("this machine will be taken away", { source: source.name, what, leftMs });
          return onNotice(notice);
        }
        failures = 0;
      } catch (error) {
        if (over.signal.aborted) return;
        if (failures === 0) {
          log.warn("cannot watch for interruptions", { source: source.name, error });
        }
        failures += 1;
      }
      const waitMs = Math.min(awayMsMax, source.everyMs * 2 ** Math.min(failures, 8));
      await sleep(clock, waitMs, over.signal).catch(() => {});
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

/** For a notice without a time: on every provider there is at least this long. */
const leftMsDefault = 30_000;
/**
 * The time reserved after the tasks: to store their results, and to send the journal to the bucket.
 */
const storeMs = 15_000;
const graceMsMin = 1_000;

/** How long running tasks may continue after a notice. */
export function graceAfterNotice({ leftMs = leftMsDefault }: InterruptionNotice, graceMs: number) {
  return Math.max(Math.min(graceMs, graceMsMin), Math.min(graceMs, leftMs - storeMs));
}
