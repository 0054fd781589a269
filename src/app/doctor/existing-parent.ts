import { stat } from "node:fs/promises";
import { dirname } from "node:path";

/** The path itself if it exists, otherwise its nearest existing parent, which may be a file. */
export async function findExistingParent(path: string): Promise<string> {
  const isAbsent = (error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return true;
    throw error;
  };
  const parent = dirname(path);
  if (parent === path || !(await stat(path).then(() => false, isAbsent))) return path;
  return findExistingParent(parent);
}
