/**
 * What a process of workers is to be started with: `node ${flags} program.js`. V8 guesses from a
 * few hundred objects which kinds of them live long, and puts those where it collects last. A
 * worker's tasks die young but for the ones in hand when it looks: guessing wrong costs 100 MB, and
 * time too.
 */
export const workerNodeFlags: readonly string[] = ["--no-allocation-site-pretenuring"];
