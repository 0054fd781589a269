import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Throws unless a file can be written in a folder of this folder, then takes both away. Modes
 * are not asked: root may do more than they say, and a read-only or full disk allows less.
 */
export async function probeFolder(folder: string): Promise<void> {
  const made = await mkdtemp(join(folder, ".forager-doctor-"));
  try {
    await writeFile(join(made, "probe"), "probe");
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}
