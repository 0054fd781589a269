import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  type Stats,
} from "node:fs";
import { lstat, open, type FileHandle } from "node:fs/promises";
import { AppError } from "../app-error.ts";

/**
 * Reads a file in a folder that people and other programs write to as well. Such a folder may
 * contain named pipes, devices, sockets and symbolic links. Opening a pipe blocks until somebody
 * writes to it, reading some devices never ends, opening others has effects, and a link leads to a
 * file that is not ours. So only regular files are opened:
 * - the path itself is checked before it is opened, because opening a device can have effects;
 * - it is opened without following a link and without blocking, in case it was replaced meanwhile;
 * - what was opened is checked again.
 * Undefined if there is no such file. Anything that exists and is not a regular file is an AppError
 * `invalid` with the code `not_a_regular_file`. Other errors of the file system pass unchanged.
 */
export function readRegularFileSync(path: string): Buffer | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  checkFile(path, found);
  const file = opened(path, () => openSync(path, constants.O_RDONLY | careful));
  try {
    checkFile(path, fstatSync(file));
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** The same without blocking the event loop; a file that is not there is ENOENT. */
export async function readRegularFile(path: string): Promise<Buffer> {
  await using file = await openRegularFile(path, constants.O_RDONLY);
  return await file.readFile();
}

/** Opens a regular file. Creates one if the flags include O_CREAT. */
export async function openRegularFile(
  path: string,
  flags: number,
  mode?: number,
): Promise<FileHandle> {
  const before = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" && (flags & constants.O_CREAT) !== 0) return undefined;
    throw error;
  });
  if (before) checkFile(path, before);
  const file = await open(path, flags | careful, mode).catch((error: unknown) => {
    throw replaced(path, error);
  });
  try {
    checkFile(path, await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Names the type of a folder entry that is neither a regular file nor a folder. */
export function specialEntry(found: Stats): string | undefined {
  if (found.isSymbolicLink()) return "a symbolic link";
  if (found.isFIFO()) return "a named pipe";
  if (found.isSocket()) return "a socket";
  if (found.isCharacterDevice() || found.isBlockDevice()) return "a device";
  return undefined;
}

/** Windows has none of these flags. */
const careful =
  process.platform === "win32"
    ? 0
    : constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

function checkFile(path: string, found: Stats): void {
  if (!found.isFile()) throw notRegular(path, specialEntry(found) ?? "a folder");
}

function opened<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw replaced(path, error);
  }
}

/** Between the check and the open, the file became a link (ELOOP) or a socket (ENXIO). */
function replaced(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ELOOP" || code === "EMLINK") return notRegular(path, "a symbolic link");
  if (code === "ENXIO") return notRegular(path, "a pipe, device or socket");
  return error;
}

const notRegular = (path: string, what: string) =>
  new AppError(
    "invalid",
    "not_a_regular_file",
    `${path} is ${what}: only regular files are used here; put a file in its place or remove it`,
  );
