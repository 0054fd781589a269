import fs from "node:fs";
import { dirname, resolve } from "node:path";
import { makeFolder } from "./make-folder.ts";

/**
 * Makes a folder, and those above it that are missing. When it returns, all of them survive a power
 * cut: a new name is safe only once the folder that holds it is synced.
 */
export function makeSyncedFolder(path: string, { mode }: { readonly mode?: number } = {}): void {
  const folder = resolve(path);
  const first = makeFolder(folder, mode === undefined ? {} : { mode });
  if (first === undefined) return; // all were there
  for (let made = folder; ; made = dirname(made)) {
    syncFolder(dirname(made));
    if (made === first || made === dirname(made)) return;
  }
}

/** What was created, renamed or removed in the folder survives a power cut from now on. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return; // Windows cannot sync a folder
  const handle = fs.openSync(folder, "r");
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}
