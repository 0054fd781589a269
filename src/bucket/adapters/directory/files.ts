import fs from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../../base/app-error.ts";

const hourMs = 3_600_000;

/** File systems whose locks do not hold between machines, by the magic number of statfs(2). */
const networkFileSystems = new Map([
  [0x6969, "nfs"],
  [0xff534d42, "cifs"],
  [0xfe534d42, "smb2"],
  [0x517b, "smb"],
  [0x01021997, "9p"],
  [0x00c36400, "ceph"],
  [0x5346414f, "afs"],
  [0x0bd00bd0, "lustre"],
  [0x65735546, "fuse"],
]);

/** Makes the folder, and refuses one that other machines may share. */
export function checkFolder(root: string): void {
  fs.mkdirSync(root, { recursive: true });
  const name = networkFileSystems.get(fs.statfsSync(root).type >>> 0);
  if (name === undefined) return;
  throw new AppError(
    "invalid",
    "bucket_on_network",
    `${root} is on a network file system (${name}), where locks do not hold: use a folder of a ` +
      `local disk, or a bucket of S3 or PostgreSQL to share it between machines`,
  );
}

export async function writeTemporary(path: string, body: Uint8Array): Promise<void> {
  const file = await open(path, "wx");
  try {
    await file.writeFile(body);
    await file.sync(); // before the rename, or a power cut may leave the name on an empty file
  } finally {
    await file.close();
  }
}

/** What killed writers left. Nobody is still writing after an hour; if so, its rename fails. */
export function removeOldTemporaries(folder: string, nowMs: number): void {
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name);
    const found = fs.statSync(path, { throwIfNoEntry: false });
    if (found && nowMs - found.mtimeMs > hourMs) fs.rmSync(path, { force: true });
  }
}

export function syncFolder(folder: string): void {
  if (process.platform === "win32") return; // Windows cannot sync a folder
  const handle = fs.openSync(folder, "r");
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}
