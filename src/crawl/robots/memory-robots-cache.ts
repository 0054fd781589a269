import type { RobotsCache, RobotsNote } from "./read-robots.ts";

/** Notes of this process; the least recently used goes first. */
export function createMemoryRobotsCache({ originsMax = 10_000 } = {}): RobotsCache {
  const notes = new Map<string, RobotsNote>();
  return {
    async get(origin) {
      const note = notes.get(origin);
      if (!note) return undefined;
      notes.delete(origin);
      notes.set(origin, note);
      return note;
    },
    async put(origin, note) {
      notes.delete(origin);
      notes.set(origin, note);
      if (notes.size > originsMax) notes.delete(notes.keys().next().value!);
    },
  };
}
