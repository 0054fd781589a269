import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A disk with an ext4 file system that can be looked at as a power cut would leave it. */
export interface LoopDisk extends Disposable {
  /** Where it is mounted. */
  readonly path: string;
  /**
   * Mounts a copy of the device, as after a power cut at this moment: what was written but not synced
   * is only in the kernel's memory, and not in the copy. Whoever writes to the disk must be stopped.
   */
  afterPowerCut(): Snapshot;
}

export interface Snapshot extends Disposable {
  readonly path: string;
}

const megabytes = 64;
/** The kernel may still be writing; how often it is waited for. */
const copiesMax = 50;

export function openLoopDisk(mkfs: string): LoopDisk {
  const folder = mkdtempSync(join(tmpdir(), "forager-power-"));
  const [device, copy] = [join(folder, "device"), join(folder, "copy")];
  const path = join(folder, "disk");
  let snapshots = 0;
  const undo: (() => void)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const dispose = () => {
    for (const step of undo.splice(0).reverse()) step();
  };
  try {
    // The device itself is in memory: only what reaches it matters, not how long that takes.
    run("mount", "-t", "tmpfs", "-o", `size=${3 * megabytes}m`, "tmpfs", folder);
    undo.push(() => run("umount", "-l", folder));
    run("truncate", "-s", `${megabytes}M`, device);
    run(mkfs, "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", "-J", "size=4", device);
    mkdirSync(path);
    // By default the kernel writes out new names every 5 seconds, synced or not.
    run("mount", "-o", "loop,commit=600", device, path);
    undo.push(() => run("umount", "-l", path));
  } catch (error) {
    dispose();
    throw error;
  }

  return {
    path,
    afterPowerCut() {
      copyDevice(device, copy);
      const mounted = join(folder, `copy-${(snapshots += 1)}`);
      mkdirSync(mounted);
      run("mount", "-o", "loop", copy, mounted);
      return {
        path: mounted,
        [Symbol.dispose]() {
          run("umount", mounted);
          rmSync(copy);
        },
      };
    },
    [Symbol.dispose]: dispose,
  };
}

/** A copy of one moment: if nothing differs after copying, nothing was written meanwhile. */
function copyDevice(device: string, copy: string): void {
  for (let count = 0; count < copiesMax; count++) {
    run("cp", "--sparse=always", device, copy);
    if (isSame(device, copy)) return;
  }
  throw new Error(`${device} kept changing while it was copied ${copiesMax} times`);
}

function isSame(a: string, b: string): boolean {
  try {
    run("cmp", "--silent", a, b);
    return true;
  } catch (error) {
    if ((error as { readonly status?: unknown }).status === 1) return false;
    throw error;
  }
}

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: ["ignore", "ignore", "pipe"] });
}
