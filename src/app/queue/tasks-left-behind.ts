import { existsSync } from "node:fs";
import { AppError } from "../../base/app-error.ts";
import { countOf } from "../../base/text/count-words.ts";
import type { LoadedSettings, Paths, Settings } from "../../config/index.ts";
import { openQueue } from "./open-queue.ts";
import { locateQueue } from "./queue-address.ts";

/**
 * The message if the local queue file of a data folder has unfinished tasks although the settings
 * name another queue, so that nobody works on them. Undefined if there are none.
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
 * Throws if setting `bucket.url` has moved the queue to the bucket, and the local file that was the
 * queue before has unfinished tasks: they would be forgotten.
 */
export async function refuseForgottenTasks(loaded: LoadedSettings, paths: Paths): Promise<void> {
  const source = loaded.values.find(({ key }) => key === "queue.url")?.source;
  const text = source === "bucket.url" ? await tasksLeftBehind(loaded.settings, paths) : undefined;
  if (text !== undefined) throw new AppError("invalid", "queue_left_behind", text);
}
