import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { sleep, systemClock } from "../../base/clock.ts";
import { machineMonotonicMs } from "../../base/machine-clock.ts";

/** What a worker was doing when it stopped itself. */
export interface StoppedAt {
  readonly atMs: number;
  /** Tasks that it was about to finish as done. */
  readonly ids: readonly number[];
}

/**
 * Stops this process with SIGSTOP at the worst moment: its tasks are done, and it is about to send
 * their finish. A worker that is stopped elsewhere sees by its own clock that it is late, and sends
 * nothing. When this one is continued, after its leases have run out, only the queue can refuse it.
 */
export function createStopSelf(file: string) {
  let isArmed = false;
  return {
    arm(): void {
      isArmed = true;
    },
    onFinishing: (ids: readonly number[]): void => {
      if (!isArmed || ids.length === 0) return;
      isArmed = false;
      const stopped: StoppedAt = { atMs: machineMonotonicMs(), ids };
      writeFileSync(file, JSON.stringify(stopped));
      process.kill(process.pid, "SIGSTOP");
    },
  };
}

const holdMsMax = 8_000;
const lookMs = 50;

export interface HeldOptions {
  /** Contains the ids of tasks that must keep running until the file is gone. */
  readonly file: string;
  readonly id: number;
  readonly signal: AbortSignal;
}

/** Keeps a task running for longer than the late worker was stopped. */
export async function whileHeld({ file, id, signal }: HeldOptions): Promise<void> {
  for (let waitedMs = 0; waitedMs < holdMsMax && isHeld(file, id); waitedMs += lookMs) {
    await sleep(systemClock, lookMs, signal);
  }
}

function isHeld(file: string, id: number): boolean {
  if (!existsSync(file)) return false;
  try {
    return (JSON.parse(readFileSync(file, "utf8")) as readonly number[]).includes(id);
  } catch {
    return false; // removed between the two calls
  }
}
