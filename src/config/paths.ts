import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { AppError } from "../base/app-error.ts";

/**
 * The only place that builds paths of data. A returned path is inside the data root: it was checked
 * as text and, as far as it exists, on disk. Nothing is created. Every new kind of data gets a
 * function here; no other module joins paths below the root.
 */
export interface Paths {
  root(): string;
  /** The name of the environment, if the root is `DATA/environments/NAME`; otherwise undefined. */
  environment(): string | undefined;
  /**
   * The paths of the folder that contains the environments. Without an environment: these paths.
   */
  base(): Paths;
  /** `name`: the file name in a `sqlite:` address. */
  queueFile(name?: string): string;
  /** A folder. */
  logs(): string;
  /** A folder: what workers measured of their last attempts. */
  attempts(): string;
  /** A folder. Everything in it may be deleted at any time. */
  cache(): string;
  /**
   * A path below the root; without segments, the root itself. A segment may contain `/`. Throws
   * AppError `invalid` if the path leaves the root on this or another operating system.
   */
  resolve(...segments: readonly string[]): string;
}

/**
 * The data folder of an environment. If `data` already is that folder, it is returned unchanged.
 */
export function environmentFolder(data: string, environment: string): string {
  const end = join("environments", environment);
  return data.endsWith(`${sep}${end}`) ? data : join(data, end);
}

export function createPaths(dataRoot: string): Paths {
  if (!isAbsolute(dataRoot) || dataRoot.includes("\0")) {
    throw refused(dataRoot, "the data folder must be an absolute path");
  }
  const root = resolve(dataRoot); // without `//`, `..` and a slash at the end
  const inside = (...segments: readonly string[]) => {
    const parts = segments.flatMap((segment) => segment.split("/"));
    for (const part of parts) {
      const fault = faultOf(part);
      if (fault) throw refused(segments.join("/"), fault);
    }
    checkLinks(root, parts);
    return join(root, ...parts);
  };
  const outer = dirname(dirname(root));
  const isEnvironment = root === join(outer, "environments", basename(root));
  return {
    root: () => inside(),
    environment: () => (isEnvironment ? basename(root) : undefined),
    base: () => createPaths(isEnvironment ? outer : root),
    queueFile: (name = "queue.db") => inside(name),
    logs: () => inside("logs"),
    attempts: () => inside("logs", "attempts"),
    cache: () => inside("cache"),
    resolve: inside,
  };
}

// Windows: https://learn.microsoft.com/windows/win32/fileio/naming-a-file. Refused on all systems,
// because data folders are moved between machines.
const reservedName = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:$|[ .])/i;
// oxlint-disable-next-line no-control-regex -- it matches control characters on purpose
const forbidden = /[\u0000-\u001f\u007f<>:"|?*\\]/;
const partBytesMax = 255;

/** Why one part of a path is refused; undefined if it is a valid name. */
function faultOf(part: string): string | undefined {
  if (part === "") return "a part of it is empty, or it is absolute";
  if (part === "." || part === "..") return "it must not contain . or ..";
  if (forbidden.test(part)) return 'it contains a control character or one of < > : " | ? * \\';
  if (/[. ]$/.test(part)) return "a part of it ends with a dot or a space";
  if (reservedName.test(part)) return "Windows reserves the name";
  if (Buffer.byteLength(part) > partBytesMax) return `a part is over ${partBytesMax} bytes`;
  return undefined;
}

/**
 * Resolves links as far as the path exists. A link that is created later is not detected: the data
 * folder belongs to one user, and this check is against mistakes and hostile names, not against
 * other processes of that user.
 */
function checkLinks(root: string, parts: readonly string[]): void {
  const target = join(root, ...parts);
  const existing = deepestExisting(root, parts);
  if (existing === undefined) return;
  try {
    const way = relative(realpathSync(root), realpathSync(existing));
    if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) {
      throw refused(target, "a symbolic link on the way leads out of the data folder");
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const fault =
      code === "ELOOP" ? faultNamed(code) : "a symbolic link in the path cannot be followed";
    throw refused(target, fault, error);
  }
}

/**
 * A link counts as existing even if its target does not exist, because writing to it would create
 * the target.
 */
function deepestExisting(root: string, parts: readonly string[]): string | undefined {
  for (let depth = parts.length; depth >= 0; depth--) {
    const path = join(root, ...parts.slice(0, depth));
    try {
      if (lstatSync(path, { throwIfNoEntry: false })) return path;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOTDIR" && code !== "ENOENT") throw refused(path, faultNamed(code), error);
    }
  }
  return undefined;
}

function faultNamed(code: string | undefined): string {
  if (code === "ELOOP") {
    return "symbolic links in the path form a loop; choose another folder (ELOOP)";
  }
  return code === "EACCES"
    ? "this user may not enter a folder in the path (EACCES)"
    : `the file system answers ${code}`;
}

function refused(path: string, fault: string, cause?: unknown): AppError {
  const shown = JSON.stringify(path.slice(0, 200));
  return new AppError("invalid", "path_refused", `path ${shown} is refused: ${fault}`, { cause });
}
