import { readFileSync } from "node:fs";

/**
 * The peak of this process's resident memory. On Linux it is not `maxRSS` of the resource usage,
 * because a new process inherits that figure from the process that started it.
 */
export function peakMemoryBytes(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS * 1_024;
  const status = readFileSync("/proc/self/status", "utf8");
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024;
}
