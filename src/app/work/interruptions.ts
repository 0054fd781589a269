import { sleep, type Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Service } from "../../base/service.ts";
import type { Settings } from "../../config/index.ts";
import {
  createAwsInterruption,
  createAzureInterruption,
  createFileInterruption,
  createGcpInterruption,
  findProvider,
  graceAfterNotice,
  watchInterruption,
  type InterruptionNotice,
  type InterruptionSource,
} from "../../ship/index.ts";
import type { Supervisor } from "../../worker/index.ts";
import type { ProcessPool } from "./process-pool.ts";

export interface InterruptionsOptions {
  readonly settings: Pick<Settings, "work">;
  readonly pool: Pick<ProcessPool, "interrupt">;
  readonly supervisor: Pick<Supervisor, "look" | "hurry">;
  /** Makes idle workers of the fleet look for tasks. */
  readonly wake: () => Promise<void>;
  /** True if the process ends when no tasks are left: then it ends after a notice too. */
  readonly isDraining: boolean;
  readonly onNotice: (notice: InterruptionNotice) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Interruptions extends Service {
  /** Resolves when a notice has arrived, all work is released, and the process may exit. */
  readonly over: Promise<void>;
}

const lookMs = 100;
/**
 * If the machine still exists this long after its notice, it was not taken away. Then the process
 * exits, and its service manager starts it again.
 */
const stayMs = 600_000;

/**
 * Releases work when the provider announces that it takes this machine away: running tasks get the
 * remaining time, the others return to the queue at once, and other nodes are woken. The node
 * itself continues: it uploads its journal until the machine stops.
 */
export async function createInterruptions(options: InterruptionsOptions): Promise<Interruptions> {
  const { settings, pool, supervisor, wake, isDraining, onNotice, clock, log } = options;
  const { promise: over, resolve: onOver } = Promise.withResolvers<void>();
  const stopped = new AbortController();
  const { signal } = stopped;

  async function giveBack(notice: InterruptionNotice): Promise<void> {
    onNotice(notice);
    const graceMs = graceAfterNotice(notice, settings.work.graceMs);
    const hurry = clock.setTimer(graceMs, () => supervisor.hurry(), { background: true });
    pool.interrupt();
    // Wake once for the tasks that had not started, and once for those that did not end in time.
    await sleep(clock, lookMs, signal);
    await wake();
    while (supervisor.look().length > 0) await sleep(clock, lookMs, signal);
    hurry.cancel();
    await wake();
    log.info("all work was released");
    if (!isDraining) await sleep(clock, stayMs, signal);
    onOver();
  }

  const source = await chooseSource(settings.work, clock);
  const watch =
    source &&
    watchInterruption({
      source,
      onNotice: (notice) =>
        void giveBack(notice).catch((error: unknown) => {
          if (!signal.aborted) log.error("work could not be released in time", { error });
        }),
      clock,
      log,
    });
  return {
    over,
    async start() {
      await watch?.start();
    },
    async stop() {
      stopped.abort();
      await watch?.stop();
    },
  };
}

/** Parses `work.interruption`: a provider, `auto`, `off`, or `file:PATH`. */
async function chooseSource(
  { interruption, metadataUrl }: Settings["work"],
  clock: Clock,
): Promise<InterruptionSource | undefined> {
  if (interruption.startsWith("file:")) return createFileInterruption(interruption.slice(5));
  const provider = interruption === "auto" ? await findProvider() : interruption;
  const options = { url: metadataUrl.replace(/\/$/, ""), clock };
  if (provider === "aws") return createAwsInterruption(options);
  if (provider === "gcp") return createGcpInterruption(options);
  return provider === "azure" ? createAzureInterruption(options) : undefined;
}
