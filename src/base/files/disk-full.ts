import { statfsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { AppError } from "../app-error.ts";

/**
 * The error to throw if `cause` means that a disk is full, otherwise undefined. The file system and
 * SQLite have several codes for a full disk, and their messages do not help users. This message
 * says which disk is full and what to do. `path` is the file or folder that was being written.
 */
export function diskFullError(cause: unknown, path: string): AppError | undefined {
  const code = codeOf(cause);
  const isFull = certain.has(code) || (code.startsWith("SQLITE_IOERR") && hasNoRoom(path));
  if (!isFull) return undefined;
  const disk = mountPointOf(path);
  const what =
    code === "EDQUOT"
      ? `the quota on the disk at ${disk} is used up`
      : `the disk at ${disk} is full`;
  const message =
    `${what}, so ${path} cannot be written: free some space on it, or move the data to a larger ` +
    `disk, then try again; nothing acknowledged was lost`;
  return new AppError("unavailable", "disk_full", message, { cause });
}

/** Codes that always mean a full disk. SHMSIZE: SQLite could not enlarge its `-shm` file. */
const certain: ReadonlySet<string> = new Set([
  "ENOSPC",
  "EDQUOT",
  "SQLITE_FULL",
  "SQLITE_IOERR_SHMSIZE",
]);

/** With less free space than this, the smallest database write fails. */
const roomBytesMin = 64 * 1_024;

/** SQLite may report a full disk as any I/O error, so check the free space. */
function hasNoRoom(path: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(existingFolder(path));
    return bavail * bsize < roomBytesMin || (files > 0 && ffree === 0);
  } catch {
    return false; // a disk that cannot be read is not known to be full
  }
}

/** The topmost parent folder on the same disk. */
function mountPointOf(path: string): string {
  try {
    let folder = existingFolder(path);
    const { dev } = statSync(folder);
    for (;;) {
      const parent = dirname(folder);
      if (parent === folder || statSync(parent).dev !== dev) return folder;
      folder = parent;
    }
  } catch {
    return dirname(resolve(path));
  }
}

function existingFolder(path: string): string {
  const full = resolve(path);
  const isFolder = statSync(full, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const parent = dirname(full);
  return isFolder || parent === full ? full : existingFolder(parent);
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
