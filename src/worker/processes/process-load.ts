import { totalmem } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** The load of this process. */
export interface ProcessLoad {
  /** The longest delay of the event loop since the last call. */
  loopLagMs(): number;
  /** The used share of the memory that it may use, 0–1. */
  memoryShare(): number;
  stop(): void;
}

const resolutionMs = 20;

/** `memoryBytesMax`: what the process may use; default: all memory of its container or machine. */
export function createProcessLoad(memoryBytesMax = memoryOfMachine()): ProcessLoad {
  const loop = monitorEventLoopDelay({ resolution: resolutionMs });
  loop.enable();
  return {
    loopLagMs() {
      // A timer takes the samples, so each includes the period of the timer.
      const lagMs = Math.max(0, loop.max / 1e6 - resolutionMs);
      loop.reset();
      return lagMs;
    },
    memoryShare: () => process.memoryUsage.rss() / memoryBytesMax,
    stop: () => void loop.disable(),
  };
}

/** The container's limit if it has one; otherwise Node returns 0 or more than the machine has. */
function memoryOfMachine(): number {
  const constrained = process.constrainedMemory() ?? 0;
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}
