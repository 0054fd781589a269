import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { AppError } from "../app-error.ts";
import { fileAdvice } from "./atomic-file.ts";
import { diskFullError } from "./disk-full.ts";

export interface MakeFolderOptions {
  /** Permission bits of every folder that is created. */
  readonly mode?: number;
}

/** The limit of attempts. Other processes may remove folders while we create them. */
const attemptsMax = 1_000;

/**
 * Creates a folder and all missing folders above it. Returns the topmost folder that it created, or
 * undefined if the folder already existed. Throws AppError.
 *
 * Node's recursive mkdir is not used: on a file system that answers ENOENT although the parent
 * exists, such as /proc, it retries forever and blocks signals.
 */
export function makeFolder(path: string, options: MakeFolderOptions = {}): string | undefined {
  if (isFolder(path)) return undefined;
  const target = resolve(path);
  const missing = [path];
  const refused = new Map<string, number>();
  let topmost: string | undefined;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const folder = missing.at(-1);
    if (folder === undefined) return topmost;
    const error = failureOf(folder, options);
    if (!error || isFolder(folder)) {
      if (!error) topmost ??= folder;
      missing.pop();
      continue;
    }
    const parent = dirname(folder);
    const isMissing = error.code === "ENOENT" || error.code === "ENOTDIR";
    if (!isMissing || parent === folder) throw notMade(target, folder, error);
    // Another process may have created the parent meanwhile, so only a second ENOENT counts.
    const times = (refused.get(folder) ?? 0) + 1;
    refused.set(folder, times);
    if (!isFolder(parent)) missing.push(parent);
    else if (times > 2) throw notMade(target, folder, error);
  }
  const message = `cannot create the folder ${target}: another process keeps removing it`;
  throw new AppError("unavailable", "folder_not_made", message);
}

function failureOf(folder: string, options: MakeFolderOptions): NodeJS.ErrnoException | undefined {
  try {
    mkdirSync(folder, options);
    return undefined;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function notMade(target: string, folder: string, cause: NodeJS.ErrnoException): AppError {
  const full = diskFullError(cause, target);
  if (full) return full;
  const [kind, code, whatToDo] = adviceFor(folder, cause.code ?? "");
  const message = `cannot create the folder ${target}: ${whatToDo} (${cause.code})`;
  return new AppError(kind, code, message, { cause });
}

function adviceFor(folder: string, systemCode: string): ReturnType<typeof fileAdvice> {
  const parent = dirname(folder);
  if (systemCode === "ENOENT") {
    const words = `${parent} does not allow new folders in it; choose another folder`;
    return ["invalid", "folder_not_allowed", words];
  }
  if (systemCode === "EEXIST") {
    const words = `${folder} is not a folder; move it away or choose another`;
    return ["invalid", "folder_is_file", words];
  }
  return fileAdvice(systemCode, parent);
}
