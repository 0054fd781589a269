import { createHash } from "node:crypto";
import { readdirSync, readFileSync, watch, type FSWatcher } from "node:fs";
import { join, relative } from "node:path";
import { expect, onTestFinished } from "vitest";

/** Notes every file below a folder that is created, written, renamed or deleted. */
export interface WatchedFiles {
  /** Paths relative to the folder, in the order of their events; one file may be there often. */
  events(): readonly string[];
  /** Forgets what was noted. */
  reset(): void;
  /** Files whose content, existence or name differ from the last `reset`. */
  changed(): readonly string[];
}

export function watchFiles(folder: string): WatchedFiles {
  const events: string[] = [];
  // One watcher for each folder: with `recursive` Node loses a file that another is renamed to.
  const watchers = new Map<string, FSWatcher>();
  const watchFolder = (path: string) => {
    if (watchers.has(path)) return;
    const watcher = watch(path, (_, name) => {
      if (name === null) return;
      events.push(relative(folder, join(path, name)));
      watchAll();
    });
    watcher.on("error", () => {}); // it was deleted
    watchers.set(path, watcher);
  };
  const watchAll = () => {
    for (const path of foldersBelow(folder)) watchFolder(path);
  };
  watchAll();
  onTestFinished(() => {
    for (const watcher of watchers.values()) watcher.close();
  });
  let before = hashes(folder);
  return {
    events: () => events,
    reset() {
      events.length = 0;
      before = hashes(folder);
    },
    changed() {
      const after = hashes(folder);
      const names = new Set([...before.keys(), ...after.keys()]);
      return [...names].filter((name) => before.get(name) !== after.get(name)).sort();
    },
  };
}

function foldersBelow(folder: string): readonly string[] {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  const folders = found.filter((entry) => entry.isDirectory());
  return [folder, ...folders.map(({ parentPath, name }) => join(parentPath, name))];
}

function hashes(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Map(files.flatMap((file) => entryOf(folder, file)));
}

/** None if it was deleted meanwhile. */
function entryOf(folder: string, file: string): readonly (readonly [string, string])[] {
  try {
    const hash = createHash("sha256").update(readFileSync(file)).digest("hex");
    return [[relative(folder, file), hash]];
  } catch {
    return [];
  }
}

/** Waits until `count()` has stayed the same for `quietMs`. */
export async function untilQuiet(count: () => number, quietMs: number): Promise<void> {
  let [last, sinceMs] = [count(), Date.now()];
  await expect
    .poll(
      () => {
        if (count() !== last) [last, sinceMs] = [count(), Date.now()];
        return Date.now() - sinceMs >= quietMs;
      },
      { timeout: 180_000, interval: 100 },
    )
    .toBe(true);
}

/** Waits until a moment on the clock: for what must not happen in the meantime. */
export const untilMs = (atMs: number) =>
  expect
    .poll(() => Date.now() >= atMs, { timeout: atMs - Date.now() + 10_000, interval: 500 })
    .toBe(true);
