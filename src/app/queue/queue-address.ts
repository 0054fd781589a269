import { isAbsolute } from "node:path";
import type { Paths } from "../../config/index.ts";

export interface QueueAddress {
  readonly address: string;
  /**
   * The file, if the queue is one on this machine: if it does not exist, the queue was never
   * created.
   */
  readonly file: string | undefined;
}

/**
 * Resolves `queue.url` on this machine: a relative file is below the data folder, and cannot leave
 * it.
 */
export function locateQueue(url: string, paths: Pick<Paths, "queueFile">): QueueAddress {
  const place = (name: string) => (isAbsolute(name) ? name : paths.queueFile(name));
  const [, file] = /^sqlite:(.+)$/s.exec(url) ?? [];
  if (file !== undefined) return { address: `sqlite:${place(file)}`, file: place(file) };
  const [, folder, shards = ""] = /^dir:(.+?)(\?shards=.*)?$/s.exec(url) ?? [];
  const address = folder === undefined ? url : `dir:${place(folder)}${shards}`;
  return { address, file: undefined };
}
