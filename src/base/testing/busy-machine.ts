import { availableParallelism, loadavg } from "node:os";

/**
 * The time limit, on this machine with its current load, for something that takes at most `ms` on
 * an idle machine. The load is an average over the last minute and may have just begun, so it
 * counts twice.
 */
export function allowingForLoad(ms: number): number {
  return ms * (1 + (2 * loadavg()[0]!) / availableParallelism());
}
