import { existsSync } from "node:fs";
import { AppError } from "../../base/app-error.ts";
import type { LogStats, Queue, QueueStats } from "../../queue/index.ts";
import { openQueueToRead, type ConfiguredQueueOptions } from "../queue/configured-queue.ts";
import { jobTroubleTexts } from "../outcome/job-troubles.ts";
import { readJobTroubles } from "../outcome/read-job-troubles.ts";
import { locateQueue } from "../queue/queue-address.ts";
import { readReleaseRecords, releaseText } from "../work/release-records.ts";

export interface QueueSeen {
  /** Undefined if there is none yet, or it cannot be reached. */
  readonly stats: QueueStats | undefined;
  readonly log: LogStats | undefined;
  /** Jobs that need attention: stopped, paused by this node, or without a successful visit. */
  readonly troubles: readonly string[];
  readonly fault: string | undefined;
}

/** Reads the campaigns that were stopped by their budget, each with the next step. */
export type ReadStopped = (
  queue: Queue,
) => Promise<readonly { readonly campaign: string; readonly text: string }[]>;

/** The queue for a reader: opened once it exists, never created. */
export interface QueueSource extends AsyncDisposable {
  look(readStopped: ReadStopped): Promise<QueueSeen>;
}

export function createQueueSource(options: ConfiguredQueueOptions): QueueSource {
  const { file } = locateQueue(options.settings.queue.url, options.paths);
  let queue: Queue | undefined;
  return {
    async look(readStopped) {
      if (file !== undefined && !existsSync(file)) {
        return { ...nothing, fault: undefined };
      }
      try {
        // A file is opened for each read, because a reader may have opened a copy.
        if (file !== undefined) {
          await using now = await openQueueToRead(options);
          return await seenIn(now, options, readStopped);
        }
        queue ??= await openQueueToRead(options);
        return await seenIn(queue, options, readStopped);
      } catch (error) {
        return unseen(error);
      }
    },
    async [Symbol.asyncDispose]() {
      await queue?.[Symbol.asyncDispose]();
    },
  };
}

/** A queue that a long-running process already has open. */
export function createOpenQueueSource(
  open: () => Promise<Queue>,
  options: Pick<ConfiguredQueueOptions, "paths" | "settings">,
): QueueSource {
  return {
    async look(readStopped) {
      try {
        return await seenIn(await open(), options, readStopped);
      } catch (error) {
        return unseen(error);
      }
    },
    async [Symbol.asyncDispose]() {},
  };
}

const nothing = { stats: undefined, log: undefined, troubles: [] };

function unseen(error: unknown): QueueSeen {
  const isApp = error instanceof AppError;
  if (isApp && error.code === "no_queue") return { ...nothing, fault: undefined };
  if (!isApp || error.kind !== "unavailable") throw error;
  const fault = `the queue cannot be reached: ${error.message}`;
  return { ...nothing, fault };
}

const seenIn = async (
  queue: Queue,
  options: Pick<ConfiguredQueueOptions, "paths" | "settings">,
  readStopped: ReadStopped,
): Promise<QueueSeen> => ({
  stats: await queue.stats(),
  log: await queue.logStats(),
  troubles: await queueTroubles(queue, options, readStopped),
  fault: undefined,
});

async function queueTroubles(
  queue: Queue,
  { paths, settings }: Pick<ConfiguredQueueOptions, "paths" | "settings">,
  readStopped: ReadStopped,
): Promise<readonly string[]> {
  const stopped = await readStopped(queue);
  const names = stopped.map(({ campaign }) => campaign);
  return [
    ...(await readReleaseRecords(paths, queue, settings)).map(releaseText),
    ...jobTroubleTexts(await readJobTroubles({ queue, paths, stopped: names })),
    ...stopped.map(({ campaign, text }) => `campaign ${campaign}: ${text}`),
  ];
}
