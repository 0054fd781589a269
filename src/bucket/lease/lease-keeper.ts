import { AppError } from "../../base/app-error.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Random } from "../../base/random.ts";
import type { Service } from "../../base/service.ts";
import { isUnavailable } from "../bucket-error.ts";
import type { BucketLease } from "./lease.ts";

export interface BucketLeaseKeeperOptions {
  readonly lease: BucketLease;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly ttlMs: number;
  /** How often to check whether the role is free. */
  readonly pollMs: number;
  readonly work: (hold: Hold) => Promise<void>;
}

export interface Hold {
  readonly epoch: number;
  /** Fires when the role is lost, at the latest at its deadline: the work must end. */
  readonly signal: AbortSignal;
  /** Check this before every action: after a pause, a process may act before it gets the signal. */
  readonly isHeld: () => boolean;
}

/** Takes a role when it is free, renews it three times per ttl, and releases it when stopped. */
export function createLeaseKeeper(options: BucketLeaseKeeperOptions): Service {
  const { lease, clock, random, log, ttlMs, pollMs, work } = options;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  const loop = async () => {
    while (!stopping.signal.aborted) {
      try {
        const taken = await lease.acquire();
        if (taken.status === "held") await keep(taken.epoch);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        log.warn("the store did not answer a request for the lease", { error });
      }
      // With jitter, so that waiting nodes do not all try at the same time.
      await pause(pollMs * (0.5 + random.next()));
    }
  };

  const keep = async (epoch: number) => {
    log.info("the lease is held", { epoch });
    const over = new AbortController();
    const working = work({ epoch, signal: over.signal, isHeld: () => lease.isHeld() }).finally(() =>
      over.abort(),
    );
    const renewing = renewUntil(over);
    try {
      await working;
    } finally {
      over.abort();
      await renewing;
      if (lease.isHeld()) await lease.release();
      log.info("the lease has ended", { epoch });
    }
  };

  const renewUntil = async (over: AbortController) => {
    const watch = watchDeadline(over);
    while (!over.signal.aborted && !stopping.signal.aborted) {
      await pause(ttlMs / 3, over.signal);
      if (over.signal.aborted || stopping.signal.aborted) break;
      try {
        if ((await lease.renew()) === "lost") break;
      } catch (error) {
        if (!isUnavailable(error)) {
          over.abort(error);
          break;
        }
        log.warn("the lease was not renewed", { error });
      }
    }
    over.abort();
    watch.cancel();
  };

  /** Ends the role at its deadline, even while a renewal waits for its answer. */
  const watchDeadline = (over: AbortController) => {
    let timer = clock.setTimer(lease.leftMs(), check);
    function check() {
      if (!lease.isHeld()) over.abort();
      else timer = clock.setTimer(lease.leftMs(), check);
    }
    return { cancel: () => timer.cancel() };
  };

  const pause = async (delayMs: number, signal?: AbortSignal) => {
    const either = signal ? AbortSignal.any([stopping.signal, signal]) : stopping.signal;
    await sleep(clock, delayMs, either).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.kind !== "aborted") throw error;
    });
  };

  return {
    async start() {
      running ??= loop();
      running.catch(() => {}); // `stop` reports it
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
