import type { AlertEvent } from "./alert-book.ts";
import type { MachineReading } from "./process-metrics.ts";

/** What a node says of itself. Ephemeral: the next one takes its place. */
export interface Heartbeat {
  readonly format: 1;
  readonly node: string;
  /** Of `forager work`, of which a machine may run several. */
  readonly pid: number;
  readonly atMs: number;
  readonly version: string;
  readonly queue: string;
  /** A fingerprint of the settings that a fleet should have in common. */
  readonly config: string;
  readonly machine: MachineReading;
  readonly workers: readonly WorkerBeat[];
  readonly alerts: readonly AlertEvent[];
}

export interface WorkerBeat {
  readonly name: string;
  readonly pid: number | undefined;
  readonly state: string;
  readonly restarts: number;
  readonly kinds: readonly string[] | undefined;
  readonly concurrency: number;
  readonly atWork: number;
  readonly inFlight: number;
  /** Ever, by this process. */
  readonly completed: number;
  readonly decision: string;
}

/** A heartbeat older than this is of a node that is gone. */
export const heartbeatMsMax = 60_000;
export const heartbeatEveryMs = 5_000;

export function parseHeartbeat(text: string): Heartbeat | undefined {
  try {
    const found = JSON.parse(text) as Partial<Heartbeat>;
    const isOne =
      found.format === 1 && typeof found.node === "string" && Array.isArray(found.workers);
    return isOne ? (found as Heartbeat) : undefined;
  } catch {
    return undefined; // torn, or of a version to come
  }
}
