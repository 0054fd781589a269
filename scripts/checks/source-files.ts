import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Folders that hold nothing a person wrote. */
const generated = new Set(["node_modules", "dist", "release", ".git", ".cache", "data"]);

/** Every file of the project, relative to `root`, with `/`, in a stable order. */
export async function listSourceFiles(root: string): Promise<readonly string[]> {
  const files: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      if (generated.has(entry.name)) continue;
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) await walk(path);
      else if (entry.isFile()) files.push(path);
    }
  };
  await walk("");
  return files.toSorted();
}

/** Whether a path matches a pattern: `*` within a folder name, `**` across folders. */
export function matchesGlob(path: string, glob: string): boolean {
  const source = glob
    .split(/(\*\*\/|\*\*|\*)/)
    .map((part) => {
      if (part === "**/") return "(?:.*/)?";
      if (part === "**") return ".*";
      return part === "*" ? "[^/]*" : part.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
    })
    .join("");
  return new RegExp(`^${source}$`).test(path);
}
