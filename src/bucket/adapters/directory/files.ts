import fs from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../../base/app-error.ts";
import { networkFileSystem } from "../../../base/files/network-file-system.ts";
import { makeSyncedFolder } from "../../../base/files/synced-folder.ts";

const hourMs = 3_600_000;

/** Creates the folder, and refuses a folder that other machines may share. */
export function checkFolder(root: string): void {
  makeSyncedFolder(root);
  const name = networkFileSystem(fs.statfsSync(root).type);
  if (name === undefined) return;
  throw new AppError(
    "invalid",
    "bucket_on_network",
    `${root} is on a network file system (${name}), where locks are not reliable: use a folder on a ` +
      `local disk, or a bucket of S3 or PostgreSQL to share it between machines`,
  );
}

export async function writeTemporary(
  path: string,
  body: Uint8Array,
  mode: number | undefined,
): Promise<void> {
  const file = await open(path, "wx", mode);
  try {
    if (mode !== undefined) await file.chmod(mode); // open() subtracts the umask
    await file.writeFile(body);
    await file.sync(); // else a power cut after the rename may leave an empty file
  } finally {
    await file.close();
  }
}

/**
 * Removes the files of killed writers. After an hour a writer is not expected to be alive; if it
 * is, its rename fails.
 */
export function removeOldTemporaries(folder: string, nowMs: number): void {
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name);
    const found = fs.statSync(path, { throwIfNoEntry: false });
    if (found && nowMs - found.mtimeMs > hourMs) fs.rmSync(path, { force: true });
  }
}
