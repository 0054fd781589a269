import { realpathSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../base/app-error.ts";

/**
 * Types of file systems that show the state of the kernel, by the magic numbers of statfs(2) on
 * Linux.
 */
const pseudoTypes: ReadonlyMap<number, string> = new Map([
  [0x9fa0, "proc"],
  [0x6265_6572, "sysfs"],
  [0x1cd1, "devpts"],
  [0x0027_e0eb, "cgroup"],
  [0x6367_7270, "cgroup2"],
  [0x6462_6720, "debugfs"],
  [0x7472_6163, "tracefs"],
  [0x7363_6673, "securityfs"],
  [0x6265_6570, "configfs"],
  [0xcafe_4a11, "bpf"],
  [0x6165_676c, "pstore"],
]);

/** Throws `invalid` for a folder that cannot store data: in /proc, /sys, /dev and the like. */
export function refusePseudoFolder(path: string): void {
  const found = nearestFolder(path);
  const kind = found === undefined ? undefined : pseudoKind(found);
  if (kind === undefined) return;
  const message = `the data folder ${path} is on a pseudo file system (${kind}), which does not store files: choose another with --data or FORAGER_DATA`;
  throw new AppError("invalid", "data_folder_pseudo", message);
}

/**
 * /dev is a tmpfs, but a tmpfs is not refused in general, because users may choose one, such as
 * /dev/shm.
 */
function pseudoKind(path: string): string | undefined {
  if (/^\/dev(?:\/(?!shm(?:\/|$))|$)/.test(path)) return "/dev";
  return process.platform === "linux" ? pseudoTypes.get(statfsSync(path).type) : undefined;
}

/** The folder itself, or its nearest existing parent. Undefined if it cannot be read. */
function nearestFolder(path: string): string | undefined {
  for (let at = path; ; at = dirname(at)) {
    try {
      return realpathSync(at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Other errors, such as a loop of links, are reported where the folder is used.
      if ((code !== "ENOENT" && code !== "ENOTDIR") || dirname(at) === at) return undefined;
    }
  }
}
