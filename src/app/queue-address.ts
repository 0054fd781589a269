import { isAbsolute } from "node:path";
import type { Paths } from "../config/index.ts";

export interface QueueAddress {
  readonly address: string;
  /** Where it is a file of this machine: a file that is absent is a queue that was never made. */
  readonly file: string | undefined;
}

/** What `queue.url` means on this machine: a relative file is in the data folder, and stays there. */
export function locateQueue(url: string, paths: Pick<Paths, "queueFile">): QueueAddress {
  const [, name] = /^sqlite:(.+)$/s.exec(url) ?? [];
  if (name === undefined) return { address: url, file: undefined };
  const file = isAbsolute(name) ? name : paths.queueFile(name);
  return { address: `sqlite:${file}`, file };
}
