import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Throws unless a file can be written in a new sub-folder; then removes both. File modes are not
 * checked, because root may do more than they say, and a read-only or full disk allows less.
 */
export async function probeFolder(folder: string): Promise<void> {
  const made = await mkdtemp(join(folder, ".forager-doctor-"));
  try {
    await writeFile(join(made, "probe"), "probe");
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}
