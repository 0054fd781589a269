import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../project.ts";

/** Files that take 3 s and more, in seconds, as `npm test -- --save-durations` measured them. */
export const durationsFile = join(root, "test", "durations.json");

export function readDurations(): Readonly<Record<string, number>> {
  try {
    return JSON.parse(readFileSync(durationsFile, "utf8")) as Record<string, number>;
  } catch {
    return {}; // only the order of files depends on it
  }
}
