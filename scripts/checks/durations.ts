import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Test files that take 2 s and more, in seconds, as `npm test -- --save-durations` measured them.
 * The longest run first, and `npm run check` runs none of them.
 */
export type Durations = Readonly<Record<string, number>>;

export const slowSecondsMin = 2;

export function durationsFile(root: string): string {
  return join(root, "test", "durations.json");
}

export function readDurations(root: string): Durations {
  try {
    return JSON.parse(readFileSync(durationsFile(root), "utf8")) as Durations;
  } catch {
    return {}; // every file counts as quick
  }
}

export interface MeasuredFile {
  readonly path: string;
  readonly seconds: number;
}

/** The durations after a run: a file that did not run keeps its duration while it exists. */
export function updateDurations(
  root: string,
  known: Durations,
  measured: readonly MeasuredFile[],
): Durations {
  const ran = new Set(measured.map(({ path }) => path));
  const kept = Object.entries(known).filter(
    ([path]) => !ran.has(path) && existsSync(join(root, path)),
  );
  const slow = measured
    .filter(({ seconds }) => seconds >= slowSecondsMin)
    .map(({ path, seconds }) => [path, Math.round(seconds)] as const);
  return Object.fromEntries([...kept, ...slow].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
