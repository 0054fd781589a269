import { existsSync } from "node:fs";
import { AppError } from "../../base/app-error.ts";
import type { LogStats, Queue, QueueStats } from "../../queue/index.ts";
import { openQueueToRead, type ConfiguredQueueOptions } from "../configured-queue.ts";
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
      if (file !== undefined && !existsSync(file)) {
        return { stats: undefined, log: undefined, fault: undefined };
      }
      try {
        // A file is opened for each look: what a reader has opened may be a copy.
        if (file !== undefined) {
          await using now = await openQueueToRead(options);
          return await seenIn(now);
        }
        queue ??= await openQueueToRead(options);
        return await seenIn(queue);
      } catch (error) {
        return unseen(error);
      }
    },
    async [Symbol.asyncDispose]() {
      await queue?.[Symbol.asyncDispose]();
    },
  };
}

/** A queue that is open already, in a process that stays. */
export function createOpenQueueSource(open: () => Promise<Queue>): QueueSource {
  return {
    async look() {
      try {
        return await seenIn(await open());
      } catch (error) {
        return unseen(error);
      }
    },
    async [Symbol.asyncDispose]() {},
  };
}

function unseen(error: unknown): QueueSeen {
  const isApp = error instanceof AppError;
  const nothing = { stats: undefined, log: undefined };
  if (isApp && error.code === "no_queue") return { ...nothing, fault: undefined };
  if (!isApp || error.kind !== "unavailable") throw error;
  const fault = `the queue cannot be reached: ${error.message}`;
  return { ...nothing, fault };
}

const seenIn = async (queue: Queue): Promise<QueueSeen> => ({
  stats: await queue.stats(),
  log: await queue.logStats(),
  fault: undefined,
});
