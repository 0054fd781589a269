import { existsSync } from "node:fs";
import { locateQueue, openExistingQueue } from "../../../app/index.ts";
import { AppError } from "../../../base/app-error.ts";
import type { LogStats, Queue, QueueStats } from "../../../queue/index.ts";
import type { SettingsContext } from "../../command.ts";

export interface QueueSeen {
  /** Undefined: there is none yet, or it cannot be reached. */
  readonly stats: QueueStats | undefined;
  readonly log: LogStats | undefined;
  readonly fault: string | undefined;
}

/** The queue as one who only looks sees it: opened when it is there, and asked anew each time. */
export interface QueueSource extends AsyncDisposable {
  look(): Promise<QueueSeen>;
}

export function createQueueSource(context: SettingsContext): QueueSource {
  const { file } = locateQueue(context.settings.queue.url, context.paths);
  let queue: Queue | undefined;
  return {
    async look() {
      if (!queue && file !== undefined && !existsSync(file)) {
        return { stats: undefined, log: undefined, fault: undefined };
      }
      try {
        queue ??= await openExistingQueue(context);
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
