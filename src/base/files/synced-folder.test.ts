// process: own
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { makeSyncedFolder } from "./synced-folder.ts";

afterEach(() => vi.restoreAllMocks());

/** Makes the folder and answers which ones were synced. */
function syncedBy(make: () => void): readonly string[] {
  const names = new Map<number, string>();
  const synced: string[] = [];
  const { openSync, fsyncSync } = fs;
  vi.spyOn(fs, "openSync").mockImplementation((path, ...rest) => {
    const handle = openSync(path, ...rest);
    names.set(handle, String(path));
    return handle;
  });
  vi.spyOn(fs, "fsyncSync").mockImplementation((handle) => {
    fsyncSync(handle);
    synced.push(names.get(handle)!);
  });
  make();
  vi.restoreAllMocks();
  return synced;
}

test("syncs every folder that holds a new name, and no other", () => {
  const root = fs.mkdtempSync(join(tmpdir(), "forager-synced-"));
  onTestFinished(() => fs.rmSync(root, { recursive: true }));
  const path = join(root, "a", "b", "c");
  expect(syncedBy(() => makeSyncedFolder(path, { mode: 0o700 }))).toEqual([
    join(root, "a", "b"),
    join(root, "a"),
    root,
  ]);
  expect(fs.statSync(path).mode & 0o777).toBe(0o700);
  expect(syncedBy(() => makeSyncedFolder(path))).toEqual([]);
  expect(syncedBy(() => makeSyncedFolder(join(path, "d")))).toEqual([path]);
});
