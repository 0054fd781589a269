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
  /** It ends when nothing is left to do: then it ends after a notice too. */
  readonly isDraining: boolean;
  readonly onNotice: (notice: InterruptionNotice) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Interruptions extends Service {
  /** Resolves when a notice came, all work is given back, and the process may end. */
  readonly over: Promise<void>;
}

const lookMs = 100;
/**
 * A machine that is still there so long after its notice was not taken away. The process ends then,
 * and its service manager starts it again.
 */
const stayMs = 600_000;

/**
 * Gives work back when the provider announces that it takes this machine away: tasks in progress get
 * what time there is, the others return to the queue at once, and other nodes are woken. The node
 * itself goes on: it sends its journal to the bucket until the machine ends.
 */
export async function createInterruptions(options: InterruptionsOptions): Promise<Interruptions> {
  const { settings, pool, supervisor, wake, isDraining, onNotice, clock, log } = options;
  let onOver = () => {};
  const over = new Promise<void>((resolve) => (onOver = resolve));
  const stopped = new AbortController();
  const { signal } = stopped;

  async function giveBack(notice: InterruptionNotice): Promise<void> {
    onNotice(notice);
    const graceMs = graceAfterNotice(notice, settings.work.graceMs);
    const hurry = clock.setTimer(graceMs, () => supervisor.hurry(), { background: true });
    pool.interrupt();
    // Woken once for what had not begun, and once more for what did not end in time.
    await sleep(clock, lookMs, signal);
    await wake();
    while (supervisor.look().length > 0) await sleep(clock, lookMs, signal);
    hurry.cancel();
    await wake();
    log.info("all work was given back");
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
          if (!signal.aborted) log.error("work could not be given back in good order", { error });
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

/** `work.interruption` as it is written: a provider, `auto`, `off`, or `file:PATH`. */
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
