/**
 * Flags for worker processes: `node ${flags} program.js`. V8 guesses from a few hundred objects
 * which types live long, and allocates these in the old generation, which is collected late. Most
 * tasks of a worker live briefly, but V8 may look while many are in flight. A wrong guess costs 100
 * MB and time.
 */
export const workerNodeFlags: readonly string[] = ["--no-allocation-site-pretenuring"];
