import { createWriteStream, statSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { AppError } from "../../base/app-error.ts";
import { translateFileError } from "../../base/files/atomic-file.ts";

/** A file that appears under its name only when it is complete. Only its owner can read it. */
export interface WholeFile {
  /** Resolves when there is room for more. */
  write(text: string): Promise<void>;
  commit(): Promise<void>;
  discard(): Promise<void>;
}

/** Throws `invalid` if `path` is a folder, a device or a pipe, which a rename would replace. */
export function openWholeFile(path: string): WholeFile {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found && !found.isFile()) {
    const kind = found.isDirectory() ? "a folder" : "not a regular file";
    throw new AppError("invalid", "not_a_regular_file", `${path} is ${kind}: name a file`);
  }
  const part = `${path}.${process.pid}.part`;
  // Flushed, so that the file is on disk before anything relies on it.
  const stream = createWriteStream(part, { mode: 0o600, flush: true });
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
