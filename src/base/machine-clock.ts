import { readFileSync } from "node:fs";
import { hostname, uptime } from "node:os";

/**
 * Milliseconds since the machine booted, the same for all its processes; it never steps. Only
 * differences within one boot mean anything: `bootId` says which boot that is.
 */
export const machineMonotonicMs = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;

/** Changes with every boot of this machine. */
export function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    // Not Linux: the moment of the boot, in steps coarser than the error of two such readings.
    return `${hostname()}-${Math.round((Date.now() / 1_000 - uptime()) / 60)}`;
  }
}
