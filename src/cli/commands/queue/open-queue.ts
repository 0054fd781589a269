import { existsSync } from "node:fs";
import { sep } from "node:path";
import {
  createWakeHints,
  locateQueue,
  openQueue,
  type OpenQueueOptions,
} from "../../../app/index.ts";
import { AppError } from "../../../base/app-error.ts";
import { systemClock } from "../../../base/clock.ts";
import { makeFolder } from "../../../base/make-folder.ts";
import { usageError } from "../../../base/usage-error.ts";
import type { Settings } from "../../../config/index.ts";
import type { Queue } from "../../../queue/index.ts";
import type { SettingsContext } from "../../command.ts";

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
  return open(context, { mustExist: true });
}

/** The same for commands that bring tasks: they make the queue. */
export async function openOrMakeQueue(context: Context): Promise<Queue> {
  const { file } = locateQueue(context.settings.queue.url, context.paths);
  const root = context.paths.root();
  // Other users of this machine have no business in the data folder.
  if (file?.startsWith(`${root}${sep}`)) makeFolder(root, { mode: 0o700 });
  return open(context);
}

async function open(
  { settings, paths }: Context,
  more: { readonly mustExist?: boolean } = {},
): Promise<Queue> {
  // `doctor` says which Node is needed; the SDK of S3 would say it again with every command.
  process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";
  try {
    const { address } = locateQueue(settings.queue.url, paths);
    const hints = createWakeHints({ paths, clock: systemClock });
    return await openQueue(address, { ...(await queueOptions(settings)), ...more, hints });
  } catch (error) {
    // The address is from the command line or the settings: they are wrong, not the queue.
    const isAddress =
      error instanceof AppError && ["queue_address", "bucket_address"].includes(error.code);
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
