import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bundleProgram } from "./bundle-program.ts";
import { createNodeRunner } from "./checks/node-runner.ts";
import { createSigner } from "./checks/signature.ts";
import { listSourceFiles } from "./checks/source-files.ts";
import { bundleDashboard } from "./dashboard/bundle-dashboard.ts";
import { cacheFolder, root, tools } from "./project.ts";

export interface Build {
  readonly kind: "built" | "unchanged" | "failed";
  /** What the compiler said of a failed build. */
  readonly output: string;
}

/** Set for the tests of a run that has just built dist: they need not look whether it is current. */
export const builtVariable = "FORAGER_TEST_IS_BUILT";

const dist = join(root, "dist");
const stampFile = join(cacheFolder, "build");
/** Files that programs read beside their code; the compiler knows nothing of them. */
const dataFolder = "src/sources/data";

/**
 * Compiles src into dist unless it already holds what src says: modules with their types for those
 * who import the library, and the program as a bundle, which starts faster. The result is made beside dist
 * and put in its place whole, so a build that fails leaves the old one, and a program that runs
 * meanwhile never meets a half of one.
 */
export async function buildDist(): Promise<Build> {
  const signer = createSigner({ root, files: await listSourceFiles(root) });
  const signature = await signer.signFiles([
    "src/**",
    "package.json", // which modules have side effects
    "package-lock.json", // which packages are in the bundle
    "scripts/build-dist.ts",
    "scripts/bundle-program.ts",
    "scripts/dashboard/**",
  ]);
  const built = await readFile(stampFile, "utf8").catch(() => "");
  if (built === signature && (await exists(dist))) return { kind: "unchanged", output: "" };

  await mkdir(cacheFolder, { recursive: true });
  const workFolder = await mkdtemp(join(cacheFolder, "build-"));
  try {
    const fresh = join(workFolder, "dist");
    // Types are checked by `npm test`; a user who only builds does not wait for that.
    const args = [tools.tsc, "-p", "tsconfig.build.json", "--noCheck", "--outDir", fresh];
    const { code, output } = await createNodeRunner().run(args);
    if (code !== 0) return { kind: "failed", output: output.trim() };
    if (await exists(join(root, dataFolder))) {
      await cp(join(root, dataFolder), join(fresh, "sources", "data"), { recursive: true });
    }
    const main = join(fresh, "cli", "main.js");
    if (await exists(main)) {
      const problem = await bundleProgram({ from: join(root, "src"), to: fresh });
      if (problem !== undefined) return { kind: "failed", output: problem };
      await chmod(main, 0o755);
    }
    if (await exists(join(root, "src/dashboard/index.html"))) {
      const to = join(fresh, "dashboard");
      const problem = await bundleDashboard({ root, to, cacheFolder });
      if (problem !== undefined) return { kind: "failed", output: problem };
    }
    await rm(stampFile, { force: true });
    await rename(dist, join(workFolder, "old")).catch(ignoreAbsent);
    await rename(fresh, dist);
    await writeFile(stampFile, signature);
    return { kind: "built", output: "" };
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

function ignoreAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
