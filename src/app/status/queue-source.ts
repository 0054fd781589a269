import { existsSync } from "node:fs";
import { AppError } from "../../base/app-error.ts";
import type { LogStats, Queue, QueueStats } from "../../queue/index.ts";
import { openExistingQueue, type ConfiguredQueueOptions } from "../configured-queue.ts";
import { locateQueue } from "../queue-address.ts";

export interface QueueSeen {
  /** Undefined: there is none yet, or it cannot be reached. */
  readonly stats: QueueStats | undefined;
  readonly log: LogStats | undefined;
  readonly fault: string | undefined;
}

/** The queue for a reader: opened once it exists, never created. */
export interface QueueSource extends AsyncDisposable {
  look(): Promise<QueueSeen>;
}

export function createQueueSource(options: ConfiguredQueueOptions): QueueSource {
  const { file } = locateQueue(options.settings.queue.url, options.paths);
  let queue: Queue | undefined;
  return {
    async look() {
      if (!queue && file !== undefined && !existsSync(file)) {
        return { stats: undefined, log: undefined, fault: undefined };
      }
      try {
        queue ??= await openExistingQueue(options);
        const stats = await queue.stats();
        return { stats, log: await queue.logStats(), fault: undefined };
      } catch (error) {
        if (!(error instanceof AppError) || error.kind !== "unavailable") throw error;
        const unseen = { stats: undefined, log: undefined };
        return { ...unseen, fault: `the queue cannot be reached: ${error.message}` };
      }
    },
    async [Symbol.asyncDispose]() {
      await queue?.[Symbol.asyncDispose]();
    },
  };
}
