/** How far a packet may be behind the newest one. */
export const windowPackets = 2_048;

/** Which counters of a session were seen. Those older than the window all count as seen. */
export interface ReplayWindow {
  isNew(counter: number): boolean;
  /** Call it only for a verified packet: otherwise a forger could move the window. */
  mark(counter: number): void;
}

/** Everything up to `start` counts as seen: earlier packets were never accepted. */
export function createReplayWindow(start: number): ReplayWindow {
  const seen = new Uint32Array(windowPackets / 32).fill(0xffff_ffff);
  let highest = start;
  const wordOf = (counter: number) => Math.floor((counter % windowPackets) / 32);
  const bitOf = (counter: number) => 1 << (counter % 32);
  const clear = (counter: number) => (seen[wordOf(counter)]! &= ~bitOf(counter));
  return {
    isNew(counter) {
      if (counter > highest) return true;
      if (counter <= highest - windowPackets) return false;
      return (seen[wordOf(counter)]! & bitOf(counter)) === 0;
    },
    mark(counter) {
      if (counter > highest + windowPackets) seen.fill(0);
      else for (let at = highest + 1; at <= counter; at++) clear(at);
      highest = Math.max(highest, counter);
      seen[wordOf(counter)]! |= bitOf(counter);
    },
  };
}
