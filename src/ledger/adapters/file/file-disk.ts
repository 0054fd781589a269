import { constants } from "node:fs";
import { lstat, open, readdir, rm, truncate, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { AppError } from "../../../base/app-error.ts";
import { translateFileError, writeFileAtomic } from "../../../base/files/atomic-file.ts";
import { rememberFile, type OpenedFile } from "../../../base/files/opened-file.ts";
import { openRegularFile, readRegularFile } from "../../../base/files/regular-file.ts";
import { makeSyncedFolder } from "../../../base/files/synced-folder.ts";
import type { Paths } from "../../../config/index.ts";
import type { LedgerDisk } from "../../journal/disk.ts";

export interface FileDiskOptions {
  readonly paths: Pick<Paths, "resolve">;
  /** The lock of the data folder. Absent: the disk is only read, or no other process can use it. */
  readonly lock?: { isInPlace(): boolean };
}

/**
 * LedgerDisk in the data folder. It refuses all further writes if the lock of the data folder, or a
 * file that it appends to, is deleted or replaced: an append to a deleted file is lost, and a
 * deleted lock excludes nobody.
 */
export async function openFileDisk({ paths, lock }: FileDiskOptions): Promise<LedgerDisk> {
  if (lock) makeLedgerFolder(paths);
  let lost: AppError | undefined;
  const checkInPlace = (file: OpenedFile | undefined, name: string) => {
    if (file && !file.isInPlace()) lost ??= replacedFile(paths.resolve(name));
    if (lost) throw lost;
  };
  const checkWritable = (name: string) => {
    checkInPlace(lock, "node/owner.db");
    checkInPlace(handles.get(name)?.file, name);
  };
  /** Handles of files that are appended to repeatedly stay open, up to a limit. */
  const handles = new Map<string, OpenHandle>();
  const handleOf = async (name: string): Promise<OpenHandle> => {
    const known = handles.get(name);
    if (known) return known;
    if (handles.size >= handlesMax) {
      const [oldest, { handle }] = [...handles][0]!;
      handles.delete(oldest);
      await handle.close();
    }
    const path = paths.resolve(name);
    makePrivateFolder(dirname(path));
    const opened = await openRegularFile(path, appends, 0o600);
    const handle = { handle: opened, file: rememberFile(path) };
    handles.set(name, handle);
    // A new name survives a power cut only once its folder is synced.
    await syncAndClose(await open(dirname(path), "r"));
    return handle;
  };
  const forget = async (name: string) => {
    const known = handles.get(name);
    handles.delete(name);
    await known?.handle.close();
  };
  /** Checks before each change: the files that are there now may be somebody's backup. */
  const change = <T>(name: string, work: (path: string) => Promise<T>): Promise<T> =>
    attempt(name, async (path) => {
      checkWritable(name);
      return work(path);
    });
  const attempt = async <T>(name: string, work: (path: string) => Promise<T>): Promise<T> => {
    const path = paths.resolve(name);
    try {
      return await work(path);
    } catch (error) {
      throw translateFileError(error, path);
    }
  };

  return {
    list: (folder) =>
      attempt(folder, async (path) => {
        const found = await readdir(path, { recursive: true, withFileTypes: true }).catch(
          orUndefined,
        );
        return (found ?? [])
          .filter((entry) => entry.isFile())
          .map((entry) => `${folder}${entry.parentPath.slice(path.length)}/${entry.name}`)
          .sort();
      }),
    read: (name) => attempt(name, (path) => readRegularFile(path).catch(orUndefined)),
    stat: (name) =>
      attempt(name, async (path) => {
        const found = await lstat(path, { bigint: true }).catch(orUndefined);
        return found && { bytes: Number(found.size), changed: String(found.mtimeNs) };
      }),
    readAt: (name, from, length) =>
      attempt(name, async (path) => {
        const file = await openRegularFile(path, constants.O_RDONLY).catch(orUndefined);
        if (!file) return undefined;
        try {
          const bytes = Buffer.allocUnsafe(length);
          let count = 0;
          while (count < length) {
            const { bytesRead } = await file.read(bytes, count, length - count, from + count);
            if (bytesRead === 0) break;
            count += bytesRead;
          }
          return bytes.subarray(0, count);
        } finally {
          await file.close();
        }
      }),
    append: (name, bytes) =>
      change(name, async () => {
        const { handle } = await handleOf(name);
        await handle.appendFile(bytes);
        await handle.datasync();
        checkWritable(name); // Only now is it certain that the bytes are in the file of that name.
      }),
    truncate: (name, bytes) =>
      change(name, async (path) => {
        await forget(name);
        await truncate(path, bytes);
        await syncAndClose(await open(path, "r+"));
      }),
    replace: (name, bytes) =>
      change(name, async (path) => {
        await forget(name);
        makePrivateFolder(dirname(path));
        await writeFileAtomic(path, bytes, { mode: 0o600 });
      }),
    remove: (name) =>
      change(name, async (path) => {
        await forget(name);
        await rm(path, { force: true });
      }),
    async [Symbol.asyncDispose]() {
      for (const name of handles.keys()) await forget(name);
    },
  };
}

const handlesMax = 16;
const appends = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

interface OpenHandle {
  readonly handle: FileHandle;
  readonly file: OpenedFile;
}

const replacedFile = (path: string) =>
  new AppError(
    "corrupt",
    "ledger_file_replaced",
    `${path} was deleted or replaced while this process had it open. This process writes nothing ` +
      `more to the ledger. Stop all processes that use this data folder, check that the right file is ` +
      `there, then start again`,
  );

async function syncAndClose(handle: FileHandle): Promise<void> {
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The hub's spill files are in this folder too. */
export const makeLedgerFolder = (paths: Pick<Paths, "resolve">) =>
  makePrivateFolder(paths.resolve("ledger"));

/** Other users of this machine must not read it. */
const makePrivateFolder = (path: string) => makeSyncedFolder(path, { mode: 0o700 });

function orUndefined(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
}
