import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { sep } from "node:path";
import { locateQueue, openQueue, type OpenQueueOptions } from "../../../app/index.ts";
import { AppError } from "../../../base/app-error.ts";
import type { Settings } from "../../../config/index.ts";
import type { Queue } from "../../../queue/index.ts";
import type { SettingsContext } from "../../command.ts";
import { usageError } from "../../usage-error.ts";

type Context = Pick<SettingsContext, "settings" | "paths">;

/** Opens the queue of the settings or of --queue. A file that is not there is an error, not made. */
export async function openExistingQueue(context: Context): Promise<Queue> {
  const { file } = locateQueue(context.settings.queue.url, context.paths);
  if (file !== undefined && !existsSync(file)) {
    throw new AppError(
      "invalid",
      "no_queue",
      `there is no queue ${file}: \`forager queue add\` makes it, --queue names another`,
    );
  }
  return open(context);
}

/** The same for commands that bring tasks: they make the queue. */
export async function openOrMakeQueue(context: Context): Promise<Queue> {
  const { file } = locateQueue(context.settings.queue.url, context.paths);
  const root = context.paths.root();
  // Others on this machine have no business in the data folder. Where it cannot be made, opening
  // the queue fails next, and says why.
  if (file?.startsWith(`${root}${sep}`)) {
    await mkdir(root, { recursive: true, mode: 0o700 }).catch(() => {});
  }
  return open(context);
}

async function open(context: Context): Promise<Queue> {
  const { address } = locateQueue(context.settings.queue.url, context.paths);
  try {
    return await openQueue(address, await queueOptions(context.settings));
  } catch (error) {
    // The address is from the command line or the settings: they are wrong, not the queue.
    const isAddress = error instanceof AppError && error.code === "queue_address";
    throw isAddress ? usageError(error.message, { cause: error }) : error;
  }
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
