import { closeSync, fstatSync, openSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createId } from "../../base/ids.ts";
import { systemRandom } from "../../base/random.ts";
import { readInFlight, type InFlight } from "../../worker/index.ts";

/** Where a worker process finds its crash record: behind stdin, stdout, stderr and the messages. */
export const crashRecordFd = 4;

/** A file without a name that a parent and its child share. */
export interface CrashFile {
  readonly fd: number;
  /** Reads it and closes it. */
  take(): InFlight | undefined;
}

/**
 * In memory where that is possible: a write to a slow disk could hold up the event loop.
 * undefined: no such file can be made; then the leases of a process that dies run out.
 */
export function openCrashFile(): CrashFile | undefined {
  for (const folder of ["/dev/shm", tmpdir()]) {
    const path = join(folder, `forager-${process.pid}-${createId(systemRandom, 12)}`);
    try {
      const fd = openSync(path, "wx+", 0o600);
      unlinkSync(path);
      return {
        fd,
        take() {
          try {
            return readInFlight(fd);
          } finally {
            closeSync(fd);
          }
        },
      };
    } catch {
      continue;
    }
  }
  return undefined;
}

/** In the child: whether its parent has given it such a file. */
export function hasCrashFile(): boolean {
  try {
    return fstatSync(crashRecordFd).isFile();
  } catch {
    return false;
  }
}
