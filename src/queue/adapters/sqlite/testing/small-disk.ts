import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Mounts it read-only. */
  makeReadOnly(): void;
}

/** A real file system of a few megabytes in memory; undefined where mounting is not allowed. */
export function mountSmallDisk(megabytes: number): SmallDisk | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return undefined;
  const path = mkdtempSync(join(tmpdir(), "forager-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path], {
      stdio: "ignore",
    });
  } catch {
    rmdirSync(path);
    return undefined;
  }
  return {
    path,
    makeReadOnly: () => void execFileSync("mount", ["-o", "remount,ro", path]),
    [Symbol.dispose]() {
      // Lazy unmount, so that a handle that a failing test left open does not keep the mount.
      execFileSync("umount", ["-l", path]);
      rmdirSync(path);
    },
  };
}

export function canMount(): boolean {
  using disk = mountSmallDisk(1);
  return disk !== undefined;
}
