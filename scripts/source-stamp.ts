/**
 * Small files in the cache that say what was done with which commit. `forager deploy` reads them: it
 * takes a release of this checkout only if the checks passed on the same commit.
 */
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { cacheFolder, root } from "./project.ts";

const execute = promisify(execFile);

export type StampName = "checks-passed" | "release-source";

/** The commit of the checkout; undefined: it has changes, or no history. */
export async function cleanCommit(): Promise<string | undefined> {
  const git = async (...args: string[]) =>
    (await execute("git", args, { cwd: root, maxBuffer: 64 * 1024 * 1024 })).stdout.trim();
  try {
    const changed = await git("status", "--porcelain");
    return changed === "" ? await git("rev-parse", "HEAD") : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the stamp if the checkout is still as it was when `commit` was read. */
export async function writeStamp(
  name: StampName,
  commit: string | undefined,
  facts: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  if (commit === undefined || (await cleanCommit()) !== commit) return;
  await mkdir(cacheFolder, { recursive: true });
  const stamp = { format: 1, commit, ...facts };
  await writeFile(join(cacheFolder, `${name}.json`), `${JSON.stringify(stamp)}\n`);
}
