import { existsSync } from "node:fs";
import { AppError } from "../../base/app-error.ts";
import { countOf } from "../../base/text/count-words.ts";
import type { LoadedSettings, Paths, Settings } from "../../config/index.ts";
import { openQueue } from "./open-queue.ts";
import { locateQueue } from "./queue-address.ts";

/**
 * What to say if the local queue file of a data folder has unfinished tasks although the settings
 * name another queue: nobody works on them. Undefined: it has none.
 */
export async function tasksLeftBehind(
  settings: Pick<Settings, "queue">,
  paths: Paths,
): Promise<string | undefined> {
  const file = paths.queueFile();
  if (locateQueue(settings.queue.url, paths).file === file || !existsSync(file)) return undefined;
  await using queue = await openQueue(`sqlite:${file}`, { isReader: true });
  const { pending, running } = (await queue.stats()).states;
  if (pending + running === 0) return undefined;
  return (
    `the local queue ${file} has ${countOf(pending + running, "unfinished task")}, but tasks are now ` +
    `in ${settings.queue.url}. Keep the local queue with queue.url = "sqlite:queue.db", or move its ` +
    "tasks with `forager queue move`"
  );
}

/**
 * Throws if the queue moved to the bucket because `bucket.url` was set, and the local file that was
 * the queue until then has unfinished tasks: they would be forgotten.
 */
export async function refuseForgottenTasks(loaded: LoadedSettings, paths: Paths): Promise<void> {
  const source = loaded.values.find(({ key }) => key === "queue.url")?.source;
  const text = source === "bucket.url" ? await tasksLeftBehind(loaded.settings, paths) : undefined;
  if (text !== undefined) throw new AppError("invalid", "queue_left_behind", text);
}
