import fs from "node:fs";
import { dirname, resolve } from "node:path";
import { makeFolder } from "./make-folder.ts";

/**
 * Creates a folder and all missing folders above it. When this returns, they survive a power cut: a
 * new name is durable only after the folder that contains it is synced.
 */
export function makeSyncedFolder(path: string, { mode }: { readonly mode?: number } = {}): void {
  const folder = resolve(path);
  const first = makeFolder(folder, mode === undefined ? {} : { mode });
  if (first === undefined) return; // the folder already existed
  for (let made = folder; ; made = dirname(made)) {
    syncFolder(dirname(made));
    if (made === first || made === dirname(made)) return;
  }
}

/**
 * After this, everything that was created, renamed or removed in the folder survives a power cut.
 */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return; // Windows cannot sync a folder
  const handle = fs.openSync(folder, "r");
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}
