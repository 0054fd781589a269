import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { translateFileError } from "../../base/atomic-file.ts";

/** A file that takes its name only when it is whole. Only its user can read it. */
export interface WholeFile {
  /** Resolves when there is room for more. */
  write(text: string): Promise<void>;
  commit(): Promise<void>;
  discard(): Promise<void>;
}

export function openWholeFile(path: string): WholeFile {
  const part = `${path}.part`;
  const stream = createWriteStream(part, { mode: 0o600 });
  const ended = finished(stream).catch((error: unknown) => translateFileError(error, path));
  return {
    async write(text) {
      if (text === "" || stream.write(text)) return;
      const drained = new Promise<void>((go) => void stream.once("drain", go));
      const error = await Promise.race([ended, drained]);
      if (error) throw error as Error;
    },
    async commit() {
      stream.end();
      const error = await ended;
      if (error) throw error as Error;
      await rename(part, path);
    },
    async discard() {
      stream.destroy();
      await rm(part, { force: true });
    },
  };
}
