import { open, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { translateFileError } from "../../../base/files/atomic-file.ts";
import { createId } from "../../../base/ids.ts";
import type { Random } from "../../../base/random.ts";
import { makeFolder } from "../../../base/files/make-folder.ts";
import { partCount } from "../../fold/part-state.ts";
import { createPieces, type Spill } from "../../fold/spill.ts";

/** How many bytes may wait to be written to disk. */
const waitingBytesMax = 32 * 2 ** 20;

export interface FileSpillOptions {
  /** Its files may be deleted at any time, except while a fold runs. */
  readonly folder: string;
  readonly random: Random;
}

/**
 * Spill in one file. Pieces are written when they are full, and a list for each part says where its
 * pieces are, so a fold of many gigabytes needs the memory of one part. A small fold writes
 * nothing.
 */
export function createFileSpill({ folder, random }: FileSpillOptions): Spill {
  const path = join(folder, `spill-${createId(random)}.usv`);
  const places: { readonly at: number; readonly bytes: number }[][] = Array.from(
    { length: partCount },
    () => [],
  );
  const pieces = createPieces();
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let end = 0;
  let file: Promise<FileHandle> | undefined;
  /** The chain of writes that were started. Reads wait for it. */
  let written: Promise<void> = Promise.resolve();

  const handle = () => (file ??= openIn());
  const openIn = async () => {
    makeFolder(folder, { mode: 0o700 });
    const made = await open(path, "wx+", 0o600);
    // Delete the name at once; the open handle still works. A hub that is killed then leaves no
    // file behind.
    if (process.platform !== "win32") await rm(path);
    return made;
  };
  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw translateFileError(error, path);
    }
  };
  pieces.onFull((part, piece) => {
    places[part]!.push({ at: end, bytes: piece.byteLength });
    end += piece.byteLength;
    waiting.push(piece);
    waitingBytes += piece.byteLength;
  });
  /** Starts to write all pieces that wait. */
  const write = () => {
    const batch = waiting;
    if (batch.length === 0) return;
    waiting = [];
    waitingBytes = 0;
    const before = written;
    written = (async () => {
      await before;
      const to = await handle();
      for (let from = 0; from < batch.length; from += vectorMax) {
        await writeAll(to, batch.slice(from, from + vectorMax));
      }
    })();
    written.catch(() => {}); // The error is reported to the caller that awaits `written`.
  };

  return {
    bytesMax: 8 * 2 ** 30,
    add: pieces.add,
    async flush() {
      if (waitingBytes < waitingBytesMax / 2) return;
      // Wait for the batch before this one, so that at most two batches are in memory.
      await attempt(() => written);
      write();
    },
    read: (part) =>
      attempt(async () => {
        write();
        await written;
        const found: Uint8Array[] = [];
        for (const { at, bytes } of places[part]!) {
          const piece = Buffer.allocUnsafe(bytes);
          const { bytesRead } = await (await handle()).read(piece, 0, bytes, at);
          if (bytesRead < bytes) throw new Error(`${bytes - bytesRead} bytes are gone`);
          found.push(piece);
        }
        return [...found, pieces.open(part)];
      }),
    touched: pieces.touched,
    async [Symbol.asyncDispose]() {
      await written.catch(() => {});
      await (await file?.catch(() => undefined))?.close();
      await rm(path, { force: true });
    },
  };
}

/** The most buffers that the system takes in one call. */
const vectorMax = 512;

async function writeAll(handle: FileHandle, batch: readonly Uint8Array[]): Promise<void> {
  const total = batch.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const { bytesWritten } = await handle.writev([...batch]);
  if (bytesWritten === total) return;
  // If the disk fills up, the system writes only a part. The next call then fails with the reason.
  const rest = Buffer.concat(batch).subarray(bytesWritten);
  await handle.appendFile(rest);
}
