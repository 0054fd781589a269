import { existsSync } from "node:fs";
import { sep } from "node:path";
import { AppError } from "../../base/app-error.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { asUsage } from "../../base/usage-error.ts";
import { readVersion } from "../../base/version.ts";
import type { LoadedSettings, Paths, Settings } from "../../config/index.ts";
import type { NodeWake } from "../../node/index.ts";
import type { Queue } from "../../queue/index.ts";
import { missingFolder } from "../bucket/bucket-folder.ts";
import { createCommandWake } from "./command-wake.ts";
import { openQueue, type OpenQueueOptions } from "./open-queue.ts";
import { locateQueue } from "./queue-address.ts";
import { refuseForgottenTasks, tasksLeftBehind } from "./tasks-left-behind.ts";

export interface ConfiguredQueueOptions {
  readonly settings: Settings;
  readonly paths: Paths;
  /** Of a process that waits for tasks; otherwise the owner of the data folder is asked. */
  readonly wake?: NodeWake;
  /** Of a process that stays: it starts though the queue's server does not answer. */
  readonly isLate?: boolean;
  /** Of a command that adds tasks: it refuses while the local queue before has unfinished ones. */
  readonly loaded?: LoadedSettings;
}

/** Opens the queue of the settings. A file that is not there is an error, not made. */
export async function openExistingQueue(options: ConfiguredQueueOptions): Promise<Queue> {
  return explained(options, { mustExist: true });
}

/**
 * The same for a command that reads it once and ends. It needs no right to write, and changes no
 * file. What it reads is as of its opening, if no other process has the queue open.
 */
export async function openQueueToRead(options: ConfiguredQueueOptions): Promise<Queue> {
  return explained(options, { mustExist: true, isReader: true });
}

/** If there is none because tasks are still in the local queue, that is what to do something about. */
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
      `there is no queue ${file} yet: the first task makes it, --queue names another`,
    );
  }
}

/** The same for who brings or does tasks: the queue is made where there is none. */
export async function openOrMakeQueue(options: ConfiguredQueueOptions): Promise<Queue> {
  const { paths, loaded } = options;
  if (loaded) await asUsage(() => refuseForgottenTasks(loaded, paths), ["queue_left_behind"]);
  const { file, address } = locateQueue(options.settings.queue.url, paths);
  const root = paths.root();
  // Other users of this machine have no business in the data folder.
  if (file?.startsWith(`${root}${sep}`)) makeFolder(root, { mode: 0o700 });
  else if (/^(?:s3|dir):/.test(address)) makeFolderForCounts(root);
  return open(options, { isLate: options.isLate === true });
}

/** What a queue on a bucket costs is counted in the data folder; it works without one too. */
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
  // The address is from the command line or the settings: they are wrong, not the queue.
  return asUsage(() => openQueue(address, options), ["queue_address", "bucket_address"]);
}

/** What the settings say of a queue besides its address. Secrets are read here. */
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
