import { isAbsolute } from "node:path";
import type { Paths } from "../../config/index.ts";

export interface QueueAddress {
  readonly address: string;
  /** Where it is a file of this machine: a file that is absent is a queue that was never made. */
  readonly file: string | undefined;
}

/** What `queue.url` means on this machine: a relative file is in the data folder, and stays there. */
export function locateQueue(url: string, paths: Pick<Paths, "queueFile">): QueueAddress {
  const place = (name: string) => (isAbsolute(name) ? name : paths.queueFile(name));
  const [, file] = /^sqlite:(.+)$/s.exec(url) ?? [];
  if (file !== undefined) return { address: `sqlite:${place(file)}`, file: place(file) };
  const [, folder, shards = ""] = /^dir:(.+?)(\?shards=.*)?$/s.exec(url) ?? [];
  const address = folder === undefined ? url : `dir:${place(folder)}${shards}`;
  return { address, file: undefined };
}
