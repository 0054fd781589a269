import { closeSync, fstatSync, openSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createId } from "../../base/ids.ts";
import { systemRandom } from "../../base/random.ts";
import { readInFlight, type CrashedWork } from "../../worker/index.ts";

/**
 * The file descriptor of the crash record in a worker process, after stdin, stdout, stderr and IPC.
 */
export const crashRecordFd = 4;

/** An unnamed file that a parent and its child share. */
export interface CrashFile {
  readonly fd: number;
  /** Reads and closes it. */
  take(): CrashedWork | undefined;
}

/**
 * In memory if possible, because a write to a slow disk could block the event loop. Undefined if no
 * such file can be created; then the leases of a process that dies expire.
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

/** In a worker process: true if its parent gave it such a file. */
export function hasCrashFile(): boolean {
  try {
    return fstatSync(crashRecordFd).isFile();
  } catch {
    return false;
  }
}
