import { existsSync, lstatSync, readdirSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { AppError } from "../../base/app-error.ts";
import { translateFileError } from "../../base/files/atomic-file.ts";
import { readRegularFileSync, specialEntry } from "../../base/files/regular-file.ts";

/**
 * Reads the files of records. Names are relative to the data folder, with `/`, and either chosen by
 * Forager or listed here. Calls are synchronous and take microseconds. Throws AppError.
 *
 * Only regular files in real folders are read. Symbolic links are never followed, neither as the
 * file nor as a folder on the way to it; pipes, devices and sockets are never opened. `fault` tells
 * why a name cannot be used. This protects against accidents and against files from elsewhere, not
 * against a process of the same user that replaces files at the same time.
 */
export interface RecordFiles {
  /** Undefined if the file does not exist, or `fault` tells why it cannot be read. */
  read(name: string): Uint8Array | undefined;
  /** Undefined if a file of this name can be read or written. */
  fault(name: string): DiskFault | undefined;
  /** The same for a folder. */
  folderFault(name: string): DiskFault | undefined;
  /**
   * The sorted names in a folder. Empty if it does not exist or cannot be used; the latter is
   * reported to `onFault`.
   */
  list(folder: string, onFault?: (fault: DiskFault) => void): readonly string[];
  /** True if anything has that name, of whatever type. */
  has(name: string): boolean;
  path(name: string): string;
}

/** The reason why a file or folder cannot be used. */
export interface DiskFault {
  /** Says what is in the way, and what to do. */
  readonly reason: string;
  /** True: a link, pipe, device or socket. False: a file instead of a folder, or the reverse. */
  readonly isSpecial: boolean;
}

export function openRecordFiles(folder: string): RecordFiles {
  const path = (name: string) => join(folder, name);
  const attempt = <T>(name: string, work: (path: string) => T): T => {
    try {
      return work(path(name));
    } catch (error) {
      throw translateFileError(error, path(name));
    }
  };
  /** Folders that were checked. Cleared at the next await, so this only saves repeated calls. */
  const realFolders = new Set<string>();
  const remember = (folder: string) => {
    if (realFolders.size === 0) queueMicrotask(() => realFolders.clear());
    realFolders.add(folder);
  };
  /** Checks each folder on the path, then the name itself. */
  const faultOf = (name: string, kind: "file" | "folder"): DiskFault | undefined => {
    for (let end = name.indexOf("/"); ; end = name.indexOf("/", end + 1)) {
      const part = end === -1 ? name : name.slice(0, end);
      const wanted = end === -1 ? kind : "folder";
      if (wanted === "file" || !realFolders.has(part)) {
        const found = lstatSync(path(part), { throwIfNoEntry: false });
        if (!found) return undefined;
        if (wanted === "file" ? !found.isFile() : !found.isDirectory()) {
          return faultWords(part, found, wanted);
        }
        if (wanted === "folder") remember(part);
      }
      if (end === -1) return undefined;
    }
  };
  const isIn = (name: string) => faultOf(dirname(name), "folder") === undefined;

  return {
    path,
    read: (name) =>
      attempt(name, (at) => {
        // New records have no file yet, and checking is faster than an error.
        if (!existsSync(at) || !isIn(name)) return undefined;
        try {
          return readRegularFileSync(at);
        } catch (error) {
          if (error instanceof AppError) return undefined;
          throw error;
        }
      }),
    fault: (name) => attempt(name, () => faultOf(name, "file")),
    folderFault: (name) => attempt(name, () => faultOf(name, "folder")),
    list: (name, onFault) =>
      attempt(name, (at) => {
        if (!existsSync(at)) return [];
        const fault = faultOf(name, "folder");
        if (fault) onFault?.(fault);
        return fault ? [] : (orUndefined(() => readdirSync(at)) ?? []).sort();
      }),
    has: (name) => attempt(name, (at) => orUndefined(() => entryAt(at)) !== undefined),
  };
}

export const entryAt = (path: string) => lstatSync(path, { throwIfNoEntry: false });

function faultWords(name: string, found: Stats, wanted: "file" | "folder"): DiskFault {
  const special = specialEntry(found);
  const what = special ?? (wanted === "file" ? "a folder" : "a file");
  const rule = found.isSymbolicLink() ? ", and links are not followed" : "";
  const reason = `${name} is ${what}${rule}: put a ${wanted} in its place, or move it away`;
  return { reason, isSpecial: special !== undefined };
}

function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes(codeOf(error))) return undefined;
    throw error;
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";
