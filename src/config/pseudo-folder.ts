import { realpathSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../base/app-error.ts";

/** Types of file systems that show the state of the kernel, as statfs(2) of Linux names them. */
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

/** Throws `invalid` for a folder in which nothing can be kept: in /proc, /sys, /dev and the like. */
export function refusePseudoFolder(path: string): void {
  const found = nearestFolder(path);
  const kind = found === undefined ? undefined : pseudoKind(found);
  if (kind === undefined) return;
  const message = `the data folder ${path} is on a pseudo file system (${kind}), which keeps no files: choose another with --data or FORAGER_DATA`;
  throw new AppError("invalid", "data_folder_pseudo", message);
}

/** /dev is a tmpfs, as other folders are that somebody may choose; /dev/shm is one of these. */
function pseudoKind(path: string): string | undefined {
  if (/^\/dev(?:\/(?!shm(?:\/|$))|$)/.test(path)) return "/dev";
  return process.platform === "linux" ? pseudoTypes.get(statfsSync(path).type) : undefined;
}

/** The folder itself, else the nearest one above it that is there. Undefined: it cannot be read. */
function nearestFolder(path: string): string | undefined {
  for (let at = path; ; at = dirname(at)) {
    try {
      return realpathSync(at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Other faults, such as a loop of links, are described where the folder is used.
      if ((code !== "ENOENT" && code !== "ENOTDIR") || dirname(at) === at) return undefined;
    }
  }
}
