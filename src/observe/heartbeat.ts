import type { AlertEvent } from "./alert-book.ts";
import type { MachineReading } from "./process-metrics.ts";

/** What a node reports about itself. Ephemeral: the next heartbeat replaces it. */
export interface Heartbeat {
  readonly format: 1;
  readonly node: string;
  /** The process id of `forager work`; a machine may run several. */
  readonly pid: number;
  readonly atMs: number;
  readonly version: string;
  readonly queue: string;
  /** A fingerprint of the settings that a fleet should have in common. */
  readonly config: string;
  readonly machine: MachineReading;
  readonly workers: readonly WorkerHeartbeat[];
  readonly alerts: readonly AlertEvent[];
}

export interface WorkerHeartbeat {
  readonly name: string;
  readonly pid: number | undefined;
  readonly state: string;
  readonly restarts: number;
  readonly kinds: readonly string[] | undefined;
  readonly concurrency: number;
  readonly atWork: number;
  readonly inFlight: number;
  /** The total of this process. */
  readonly completed: number;
  readonly decision: string;
}

/** A node whose last heartbeat is older than this is gone. */
export const heartbeatMsMax = 60_000;
export const heartbeatEveryMs = 5_000;

export function parseHeartbeat(text: string): Heartbeat | undefined {
  try {
    const found = JSON.parse(text) as Partial<Heartbeat>;
    const isOne =
      found.format === 1 && typeof found.node === "string" && Array.isArray(found.workers);
    return isOne ? (found as Heartbeat) : undefined;
  } catch {
    return undefined; // incomplete, or of a later version
  }
}
