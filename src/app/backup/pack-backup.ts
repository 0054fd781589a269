import { constants, type Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { createTarPacker } from "modern-tar";
import { AppError } from "../../base/app-error.ts";
import { openRegularFile } from "../../base/files/regular-file.ts";
import { createBackupSum, dataPrefix, endEntry, headEntry, settingsPrefix, type BackupEnd, type BackupHead } from "./backup-format.ts"; // prettier-ignore
import { absentIsUndefined, dataFiles } from "./data-files.ts";
import { openLedgerSnapshot } from "./ledger-snapshot.ts";

export interface PackOptions {
  readonly root: string;
  readonly head: BackupHead;
  /** A copy of the local queue, and its name below the data folder. */
  readonly queue: { readonly name: string; readonly copy: string } | undefined;
  /** Paths of settings files, by their name in the backup. */
  readonly settings: Readonly<Record<string, string>>;
  readonly onSpecial: (name: string) => void;
  readonly onFile?: (() => void) | undefined;
  readonly signal: AbortSignal;
}

export interface Packed {
  /** Must be read once, to the end. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Resolves when all chunks were read. */
  readonly end: Promise<BackupEnd>;
}

/** Packs a data folder into a compressed archive. Memory use does not depend on its size. */
export function packBackup(options: PackOptions): Packed {
  const { readable, controller } = createTarPacker();
  const gzip = createGzip({ level: 6 });
  const piping = pipeline(Readable.fromWeb(readable as never), gzip, { signal: options.signal });
  piping.catch(() => {}); // the reader of `chunks` gets the error
  const end = addEntries(controller, options).catch((error: unknown) => {
    controller.error(error);
    throw error;
  });
  end.catch(() => {});
  return { chunks: gzip, end };
}

type Controller = ReturnType<typeof createTarPacker>["controller"];

async function addEntries(controller: Controller, options: PackOptions): Promise<BackupEnd> {
  const { root, head, queue, settings, signal } = options;
  const sum = createBackupSum();
  const add = async (entry: Entry, isSummed = true) => {
    signal.throwIfAborted();
    const { name, size, content, mode = privateMode, mtime = new Date(head.at) } = entry;
    if (isSummed) sum.entry(name, size);
    const writer = controller.add({ name, size, mode, mtime, type: "file" }).getWriter();
    for await (const chunk of content) {
      if (isSummed) sum.content(chunk);
      await writer.write(chunk);
    }
    await writer.close();
    options.onFile?.();
  };
  await add(textEntry(headEntry, `${JSON.stringify(head, undefined, 2)}\n`));
  for (const [name, path] of Object.entries(settings)) await addFile(settingsPrefix + name, path);
  // The ledger comes last, so it contains every change that the other files show.
  const files = dataFiles({
    root,
    except: queue ? [queue.name] : [],
    onSpecial: options.onSpecial,
  });
  for await (const { name, path } of files) await addFile(dataPrefix + name, path);
  if (queue) await addFile(dataPrefix + queue.name, queue.copy);
  await using ledger = await openLedgerSnapshot(root);
  for (const { name, handle, size } of ledger.files) {
    await add({
      ...infoOf(await handle.stat()),
      name: dataPrefix + name,
      size,
      content: read(handle, size),
    });
  }
  const end = sum.end();
  await add(textEntry(endEntry, `${JSON.stringify(end)}\n`), false);
  controller.finalize();
  return end;

  async function addFile(name: string, path: string): Promise<void> {
    const opened = await openRegularFile(path, constants.O_RDONLY).catch(absentIsUndefined);
    if (!opened) return;
    await using handle = opened;
    const found = await handle.stat();
    await add({ ...infoOf(found), name, size: found.size, content: read(handle, found.size) });
  }
}

interface Entry {
  readonly name: string;
  readonly size: number;
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  readonly mode?: number;
  readonly mtime?: Date;
}

const privateMode = 0o600;
const infoOf = ({ mode, mtime }: Stats) => ({ mode: mode & 0o777, mtime });

function textEntry(name: string, text: string): Entry {
  const bytes = Buffer.from(text);
  return { name, size: bytes.length, content: [bytes] };
}

const chunkBytes = 256 * 1_024;

/** Reads exactly `size` bytes, because a journal may grow while it is read. */
async function* read(handle: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size;) {
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, size - at));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) {
      const message = "a file became shorter while it was copied: try again";
      throw new AppError("unavailable", "backup_file_changed", message);
    }
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}
