import { openQueueToRead } from "../../../../app/index.ts";
import { AppError } from "../../../../base/app-error.ts";
import type { Queue } from "../../../../queue/index.ts";
import type { SettingsContext } from "../../../frame/command.ts";

/** Undefined before the first dispatch: then the queue does not exist yet. */
export async function queueOrNone(context: SettingsContext): Promise<Queue | undefined> {
  try {
    return await openQueueToRead(context);
  } catch (error) {
    if (error instanceof AppError && error.code === "no_queue") return undefined;
    throw error;
  }
}
