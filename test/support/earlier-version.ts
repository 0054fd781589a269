import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, tools } from "../../scripts/project.ts";
import { repositoryRoot } from "./repository.ts";

/** The version before this one, which fleets may still run. */
export const earlierCommit = "4363c0aa";

/**
 * Builds the program of an earlier commit from the history of this repository, and resolves to the path
 * of its `main.js`. It uses the packages and the compiler of today: type errors of newer packages do not matter.
 */
export function buildEarlierVersion(commit = earlierCommit): string {
  const folder = join(cacheFolder, "earlier", commit);
  const main = join(folder, "dist", "cli", "main.js");
  if (existsSync(main)) return main;
  mkdirSync(join(cacheFolder, "earlier"), { recursive: true });
  const work = mkdtempSync(join(cacheFolder, "earlier", "make-"));
  try {
    const archive = join(work, "sources.tar");
    execFileSync("git", ["archive", "-o", archive, commit], { cwd: repositoryRoot });
    const sources = join(work, "sources");
    mkdirSync(sources);
    execFileSync("tar", ["-xf", archive, "-C", sources]);
    symlinkSync(join(repositoryRoot, "node_modules"), join(sources, "node_modules"));
    spawnSync(process.execPath, [tools.tsc, "-p", "tsconfig.build.json"], { cwd: sources });
    if (!existsSync(join(sources, "dist", "cli", "main.js")))
      throw new Error(`commit ${commit} could not be built`);
    renameSync(sources, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return main;
}
