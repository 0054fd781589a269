import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ServiceName } from "./service.ts";

/**
 * An empty folder for a service. Started by root, a server may run as another user: where that
 * one cannot reach the usual folder for temporary files, the folder is in /tmp.
 */
export async function createServiceFolder(name: ServiceName): Promise<string> {
  const isRoot = process.getuid?.() === 0;
  const base = isRoot && !(await isOpenToAll(tmpdir())) ? "/tmp" : tmpdir();
  return await mkdtemp(join(base, `forager-${name}-`));
}

/** Tries again for a while: a server that was killed may have children that write a last file. */
export async function removeServiceFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });
}

async function isOpenToAll(folder: string): Promise<boolean> {
  if (((await stat(folder)).mode & 0o001) === 0) return false;
  return folder === dirname(folder) || (await isOpenToAll(dirname(folder)));
}
