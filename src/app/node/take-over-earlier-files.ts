import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { AppError } from "../../base/app-error.ts";
import type { Paths } from "../../config/index.ts";

/** The lock of a data folder in versions before 0.2. */
const earlierLock = "ledger/lock.db";

/** Files by which the processes of earlier versions found each other. They contain no data. */
const earlierFiles = [
  earlierLock,
  "ledger/door.json",
  "node/touch.db",
  "node/hints",
  "fleet/windows",
  "index/records.db-turn",
  "index/records.db-next",
];

/**
 * Takes over a data folder of an earlier version, whose processes use another lock: throws if one
 * of them is still running. Call it only while holding the lock of this version.
 */
export async function takeOverEarlierFiles(paths: Pick<Paths, "resolve">): Promise<void> {
  const file = paths.resolve(earlierLock);
  if (!existsSync(file)) return;
  const { tryLockFile } = await import("../../node/adapters/folder/folder-lock.ts");
  const lock = tryLockFile(file);
  if (!lock) {
    const message =
      "a process of an earlier version of forager uses this data folder: stop it, then try again";
    throw new AppError("unavailable", "node_earlier_version", message);
  }
  lock[Symbol.dispose]();
  for (const name of earlierFiles) {
    await rm(paths.resolve(name), { recursive: true, force: true });
  }
}
