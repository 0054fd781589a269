import { availableParallelism, loadavg } from "node:os";

/**
 * The limit for something that takes at most `ms` on an idle machine, on this one as busy as it is
 * now. The load is an average over the last minute, so it counts twice: it may have just begun.
 */
export function allowingForLoad(ms: number): number {
  return ms * (1 + (2 * loadavg()[0]!) / availableParallelism());
}
