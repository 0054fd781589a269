import { createHash } from "node:crypto";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { AppError } from "../src/base/app-error.ts";
import { buildDist } from "./build-dist.ts";
import { cacheFolder, root } from "./project.ts";

const run = promisify(execFile);

/** The files of a release, in the order in which SHA256SUMS lists them. */
export interface Release {
  readonly files: readonly string[];
}

/**
 * Builds the program and writes into `folder` what is published: the npm package, a list of what it
 * installs (an SBOM), and SHA256SUMS. `folder` is replaced as a whole, and only by a release that is
 * complete. The same sources give the same bytes.
 */
export async function makeRelease(folder: string): Promise<Release> {
  const { kind, output } = await buildDist();
  if (kind === "failed")
    throw new AppError("invalid", "build_failed", `the sources do not compile:\n${output}`);

  await mkdir(cacheFolder, { recursive: true });
  const workFolder = await mkdtemp(join(cacheFolder, "release-"));
  try {
    const fresh = join(workFolder, "release");
    await mkdir(fresh);
    const tarball = await packPackage(fresh);
    const sbom = tarball.replace(/\.tgz$/, ".cdx.json");
    await writeFile(join(fresh, sbom), await listComponents(workFolder));
    const files = [sbom, tarball].toSorted();
    await writeFile(join(fresh, "SHA256SUMS"), await checksums(fresh, files));
    await rm(folder, { recursive: true, force: true });
    await rename(fresh, folder);
    return { files: [...files, "SHA256SUMS"] };
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

async function packPackage(folder: string): Promise<string> {
  const output = await runNpm(["pack", "--json", "--pack-destination", folder], root);
  const [made] = JSON.parse(output) as [{ readonly filename: string }];
  return made.filename;
}

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}
interface LockedPackage {
  readonly dev?: boolean;
  readonly devDependencies?: unknown;
}
interface Sbom {
  serialNumber?: string;
  readonly metadata: { timestamp?: string };
}

/**
 * A CycloneDX list of all packages that an installation of Forager brings. `npm sbom --omit dev` in
 * this folder would leave out every package that a development tool needs too (the AWS client and
 * pg among them), so npm is given a project that has no development dependencies.
 */
async function listComponents(workFolder: string): Promise<string> {
  const project = await readJson<{ name: string; devDependencies?: unknown }>("package.json");
  const lock = await readJson<Lock>("package-lock.json");
  const { devDependencies: _, ...production } = project;
  const packages = Object.entries(lock.packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([path, { devDependencies: __, ...locked }]) => [path, locked] as const);
  // npm names the project in the list after its folder.
  const folder = join(workFolder, project.name);
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), JSON.stringify(production));
  const productionLock = { ...lock, packages: Object.fromEntries(packages) };
  await writeFile(join(folder, "package-lock.json"), JSON.stringify(productionLock));
  const args = ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev", "--package-lock-only"];
  const sbom = JSON.parse(await runNpm(args, folder)) as Sbom;
  // The two fields that differ each time; both are optional.
  delete sbom.serialNumber;
  delete sbom.metadata.timestamp;
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

async function readJson<Content>(path: string): Promise<Content> {
  return JSON.parse(await readFile(join(root, path), "utf8")) as Content;
}

async function runNpm(args: readonly string[], cwd: string): Promise<string> {
  const shell = process.platform === "win32"; // npm is a .cmd there
  try {
    return (await run("npm", args, { cwd, shell, maxBuffer: 64 * 1024 * 1024 })).stdout;
  } catch (error) {
    const { stderr = "" } = error as { readonly stderr?: string };
    const message = `\`npm ${args[0]}\` failed: ${stderr.trim() || String(error)}`;
    throw new AppError("internal", "npm_failed", message, { cause: error });
  }
}

/** In the form that `sha256sum --check` reads. */
async function checksums(folder: string, files: readonly string[]): Promise<string> {
  const lines = await Promise.all(
    files.map(async (file) => {
      const hash = createHash("sha256").update(await readFile(join(folder, file)));
      return `${hash.digest("hex")}  ${file}\n`;
    }),
  );
  return lines.join("");
}
