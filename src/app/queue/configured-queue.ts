import { existsSync } from "node:fs";
import { sep } from "node:path";
import { AppError } from "../../base/app-error.ts";
import { silentLogger, type Logger } from "../../base/log/logger.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { asUsage } from "../../base/usage-error.ts";
import { readVersion } from "../../base/version.ts";
import type { LoadedSettings, Paths, Settings } from "../../config/index.ts";
import type { NodeWake } from "../../node/index.ts";
import type { Queue } from "../../queue/index.ts";
import { missingFolder } from "../bucket/bucket-folder.ts";
import { openQueue, type OpenQueueOptions } from "./open-queue.ts";
import { locateQueue } from "./queue-address.ts";
import { refuseForgottenTasks, tasksLeftBehind } from "./tasks-left-behind.ts";
import { systemClock } from "../../base/clock.ts";
import { openMeetingPoint } from "../node/meeting-point.ts";

export interface ConfiguredQueueOptions {
  readonly settings: Settings;
  readonly paths: Paths;
  /** For a process that waits for tasks; other processes ask the owner of the data folder. */
  readonly wake?: NodeWake;
  /** For a long-running process: it starts even if the queue's server does not answer. */
  readonly isLate?: boolean;
  /**
   * For a command that adds tasks: it refuses if the previously used local queue has unfinished
   * tasks.
   */
  readonly loaded?: LoadedSettings;
}

/** Opens the queue of the settings. A missing file is an error; it is not created. */
export async function openExistingQueue(options: ConfiguredQueueOptions): Promise<Queue> {
  return explained(options, { mustExist: true });
}

/**
 * The same for a command that reads once and exits. It needs no write access and changes no file.
 * If no other process has the queue open, it reads the state at the time of opening.
 */
export async function openQueueToRead(options: ConfiguredQueueOptions): Promise<Queue> {
  return explained(options, { mustExist: true, isReader: true });
}

/**
 * If there is no queue because the tasks are still in the local queue, the error says how to move
 * them.
 */
async function explained(
  options: ConfiguredQueueOptions,
  more: Pick<OpenQueueOptions, "mustExist" | "isReader">,
): Promise<Queue> {
  try {
    requireFile(options);
    return await open(options, more);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "no_queue") throw error;
    const left = await tasksLeftBehind(options.settings, options.paths);
    if (left === undefined) throw error;
    const message = `there is no queue at ${options.settings.queue.url} yet: ${left}`;
    throw new AppError("invalid", "no_queue", message, { cause: error });
  }
}

function requireFile(options: ConfiguredQueueOptions): void {
  const { file, address } = locateQueue(options.settings.queue.url, options.paths);
  const missing = missingFolder(address.replace(/\?shards=.*$/s, ""));
  if (missing !== undefined) {
    throw new AppError("invalid", "no_queue", `there is no queue yet: ${missing}`);
  }
  if (file !== undefined && !existsSync(file)) {
    throw new AppError(
      "invalid",
      "no_queue",
      `there is no queue ${file} yet: the first task creates it; --queue selects another`,
    );
  }
}

/** The same for commands that add or run tasks: creates the queue if it does not exist. */
export async function openOrMakeQueue(options: ConfiguredQueueOptions): Promise<Queue> {
  const { paths, loaded } = options;
  if (loaded) await asUsage(() => refuseForgottenTasks(loaded, paths), ["queue_left_behind"]);
  const { file, address } = locateQueue(options.settings.queue.url, paths);
  const root = paths.root();
  // Other users of this machine must not have access to the data folder.
  if (file?.startsWith(`${root}${sep}`)) makeFolder(root, { mode: 0o700 });
  else if (/^(?:s3|dir):/.test(address)) makeFolderForCounts(root);
  return open(options, { isLate: options.isLate === true });
}

/** The data folder counts the requests of a bucket queue; the queue also works without it. */
function makeFolderForCounts(root: string): void {
  try {
    makeFolder(root, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

async function open(
  { settings, paths, wake: given }: ConfiguredQueueOptions,
  more: Pick<OpenQueueOptions, "mustExist" | "isReader" | "isLate"> = {},
): Promise<Queue> {
  const { address } = locateQueue(settings.queue.url, paths);
  const wake = given ?? createCommandWake({ paths, log: silentLogger, version: readVersion() });
  const options = { ...(await queueOptions(settings)), ...more, wake };
  // The address comes from the command line or the settings, so an invalid one is a usage error.
  const queue = await asUsage(
    () => openQueue(address, options),
    ["queue_address", "bucket_address"],
  );
  return {
    ...queue,
    async resume(job) {
      const answer = await queue.resume(job);
      const { notePauseEnded } = await import("../outcome/paused-jobs.ts");
      await notePauseEnded(paths, job);
      return answer;
    },
  };
}

/** The settings of a queue besides its address. Secrets are read here. */
export async function queueOptions({ queue }: Settings): Promise<OpenQueueOptions> {
  const { durability, postgres } = queue;
  const password = await queue.password?.reveal();
  const listenPassword = await postgres.listenPassword?.reveal();
  const { listenUrl, lazy, poolMax, poolIdleMax, statementMs, lockMs, prepare } = postgres;
  return {
    durability,
    ...(password === undefined ? {} : { password }),
    postgres: {
      connectionsMax: poolMax,
      idleMax: poolIdleMax,
      statementMs,
      lockMs,
      names: prepare,
      lazy: (["add", "claim", "finish"] as const).filter((kind) => lazy.split(",").includes(kind)),
      ...(listenUrl === undefined ? {} : { listenUrl }),
      ...(listenPassword === undefined ? {} : { listenPassword }),
    },
  };
}

/**
 * Wake-ups for a short command: if the data folder has an owner, asks it to wake up the fleet. It
 * never listens for wake-ups, because a short command does not wait for tasks.
 */
function createCommandWake(options: {
  readonly paths: Pick<Paths, "resolve">;
  readonly log: Logger;
  readonly version: string;
}): NodeWake {
  return {
    async added() {
      const { connectToNode } = await import("../../node/index.ts");
      const point = await openMeetingPoint(options);
      using node = await connectToNode({ ...options, point, clock: systemClock });
      await node?.api.wake.added();
    },
    listen: async () => {},
  };
}
