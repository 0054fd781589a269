import { totalmem } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** How hard it is for this process. */
export interface ProcessLoad {
  /** The longest the event loop was late since the last call. */
  loopLagMs(): number;
  /** Of the memory that it may use, 0–1. */
  memoryShare(): number;
  stop(): void;
}

const resolutionMs = 20;

/** `memoryBytesMax` is what the process may use; default: all its container or machine has. */
export function createProcessLoad(memoryBytesMax = memoryOfMachine()): ProcessLoad {
  const loop = monitorEventLoopDelay({ resolution: resolutionMs });
  loop.enable();
  return {
    loopLagMs() {
      // Sampled by a timer, so that the resolution itself is part of each sample.
      const lagMs = Math.max(0, loop.max / 1e6 - resolutionMs);
      loop.reset();
      return lagMs;
    },
    memoryShare: () => process.memoryUsage.rss() / memoryBytesMax,
    stop: () => void loop.disable(),
  };
}

/** The container's limit where there is one; without, Node answers 0 or more than there is. */
function memoryOfMachine(): number {
  const constrained = process.constrainedMemory() ?? 0;
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}
