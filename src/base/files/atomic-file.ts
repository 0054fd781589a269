import fs from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError, type ErrorKind } from "../app-error.ts";
import { diskFullError } from "./disk-full.ts";
import { createId } from "../ids.ts";
import { systemRandom } from "../random.ts";

export interface WriteFileAtomicOptions {
  /**
   * Permission bits, regardless of the umask. Absent: the mode of the replaced file, or the default
   * mode.
   */
  readonly mode?: number;
}

/**
 * Replaces a file atomically: a reader sees either the complete old content or the complete new
 * content, also after a crash. When this resolves, the new content survives a power cut. When it
 * rejects, the old content is still there, unless only the last step failed (syncing the folder):
 * then the new content is there, but may be lost in a power cut.
 *
 * Concurrent writers are safe; the last one wins. A symbolic link is replaced, not followed. A
 * process that is killed while it writes leaves a file for which `isTemporaryFile` is true; that
 * file may be deleted.
 */
export async function writeFileAtomic(
  path: string,
  data: FileContent,
  { mode }: WriteFileAtomicOptions = {},
): Promise<void> {
  const folder = dirname(path);
  const temporaryPath = join(folder, temporaryPrefix + createId(systemRandom));
  try {
    try {
      await writeAndSync(temporaryPath, data, mode ?? (await modeOf(path)));
      await fs.rename(temporaryPath, path);
    } catch (error) {
      await fs.rm(temporaryPath, { force: true }).catch(() => {}); // the first error counts
      throw error;
    }
    await syncFolderAsync(folder);
  } catch (error) {
    throw translateFileError(error, path);
  }
}

/**
 * Creates a file with its complete content if no file of that name exists. Returns whether it
 * created the file. If several processes try at once, exactly one succeeds, and the others never
 * see a partial file, because the file is linked to its name only when it is complete. On a file
 * system without hard links (FAT) the name is created first, so a concurrent reader may see part of
 * the content.
 */
export async function createFileAtomic(
  path: string,
  data: string | Uint8Array,
  { mode }: Required<WriteFileAtomicOptions>,
): Promise<boolean> {
  const folder = dirname(path);
  const temporaryPath = join(folder, temporaryPrefix + createId(systemRandom));
  try {
    try {
      await writeAndSync(temporaryPath, data, mode);
      await fs.link(temporaryPath, path).catch(async (error: unknown) => {
        if (!noHardLinks.has(errorCode(error) ?? "")) throw error;
        await writeAndSync(path, data, mode);
      });
    } finally {
      await fs.rm(temporaryPath, { force: true }).catch(() => {}); // the first error counts
    }
    await syncFolderAsync(folder);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw translateFileError(error, path);
  }
}

/** Error codes of link() on a file system without hard links. */
const noHardLinks: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** True for the name of a write in progress, or of a write whose process was killed. */
export function isTemporaryFile(name: string): boolean {
  return name.startsWith(temporaryPrefix);
}

const temporaryPrefix = ".tmp-write-"; // without the name of the target, which may be too long already

/** Large content can be an async iterable of chunks. */
export type FileContent = string | Uint8Array | AsyncIterable<Uint8Array>;

async function writeAndSync(path: string, data: FileContent, mode: number | undefined) {
  const file = await fs.open(path, "wx", mode ?? 0o666);
  try {
    if (mode !== undefined) await file.chmod(mode); // open() subtracts the umask
    if (typeof data === "string" || data instanceof Uint8Array) await file.writeFile(data);
    else await fs.writeFile(file, data);
    await file.sync(); // before the rename, or a power cut may leave the new name on an empty file
  } finally {
    await file.close();
  }
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    const found = await fs.lstat(path);
    return found.isFile() ? found.mode & 0o7777 : undefined;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** `syncFolder` without blocking this thread. */
export async function syncFolderAsync(folder: string): Promise<void> {
  if (process.platform === "win32") return; // Windows cannot sync a folder
  const handle = await fs.open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Adds to an error of the file system what the user can do about it. Other errors are returned
 * unchanged.
 */
export function translateFileError(error: unknown, path: string): unknown {
  const systemCode = errorCode(error);
  if (systemCode === undefined) return error;
  const full = diskFullError(error, path);
  if (full) return full;
  const [kind, code, whatToDo] = fileAdvice(systemCode, dirname(path));
  const message = `cannot write ${path}: ${whatToDo} (${systemCode})`;
  return new AppError(kind, code, message, { cause: error });
}

/**
 * The kind, the code and the advice for an error of the file system in a folder. Does not cover a
 * full disk.
 */
export function fileAdvice(
  systemCode: string,
  folder: string,
): readonly [ErrorKind, string, string] {
  switch (systemCode) {
    case "EACCES":
    case "EPERM":
      return [
        "invalid",
        "file_not_permitted",
        `not permitted; make ${folder} writable for the user this runs as`,
      ];
    case "EROFS":
      return [
        "invalid",
        "disk_read_only",
        `the disk is read-only; remount it writable or choose a folder on another`,
      ];
    case "EISDIR":
      return ["invalid", "path_is_folder", "it is a folder; move it away or choose another name"];
    case "ENOENT":
    case "ENOTDIR":
      return ["invalid", "folder_missing", `${folder} is not a folder; create it first`];
    case "ENAMETOOLONG":
      return ["invalid", "file_name_too_long", "the name is too long; choose a shorter one"];
    case "EMFILE":
    case "ENFILE":
      return ["unavailable", "too_many_open_files", "too many open files; raise ulimit -n"];
    default:
      return ["unavailable", "file_write_failed", "the file system failed; check the disk"];
  }
}

function errorCode(error: unknown): string | undefined {
  const isSystemError = error instanceof Error && "syscall" in error && "code" in error;
  return isSystemError && typeof error.code === "string" ? error.code : undefined;
}
