import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../src/base/app-error.ts";
import { buildDist } from "./build-dist.ts";
import { cacheFolder, root } from "./project.ts";
import { bundledPackages, formatLicences, type LicensedPackage } from "./licence-list.ts";
import { packReleaseFolder, type ReleasePlatform } from "./release-folder.ts";
import { runNpm } from "./run-npm.ts";

/** The files of a release, in the order in which SHA256SUMS lists them. */
export interface Release {
  readonly files: readonly string[];
}

export interface ReleaseOptions {
  /** Where the release is written. Replaced as a whole, and only by a release that is complete. */
  readonly folder: string;
  /** The machines for which a folder is made that runs as it is. */
  readonly platforms: readonly ReleasePlatform[];
  /** Whether these folders bring Node. */
  readonly hasNode: boolean;
}

/**
 * Builds the program and writes what is published: the npm package, an archive for each platform, a
 * list of what they contain (an SBOM), the installer, and SHA256SUMS. The same sources give the
 * same bytes.
 */
export async function makeRelease(options: ReleaseOptions): Promise<Release> {
  const { folder, platforms, hasNode } = options;
  const { kind, output } = await buildDist();
  if (kind === "failed")
    throw new AppError("invalid", "build_failed", `the sources do not compile:\n${output}`);

  await mkdir(cacheFolder, { recursive: true });
  const workFolder = await mkdtemp(join(cacheFolder, "release-"));
  try {
    const fresh = join(workFolder, "release");
    await mkdir(fresh);
    const tarball = await packPackage(fresh);
    const base = tarball.replace(/\.tgz$/, "");
    const files = [tarball, `${base}.cdx.json`, `${base}-licences.md`];
    const sbom = await listComponents(await writeProductionProject(join(workFolder, "list")));
    await writeFile(join(fresh, `${base}.cdx.json`), `${JSON.stringify(sbom, null, 2)}\n`);
    await writeFile(join(fresh, `${base}-licences.md`), await listLicences(sbom));
    for (const platform of platforms) {
      const archive = `${base}-${platform}.tar.gz`;
      const work = join(workFolder, platform);
      await packReleaseFolder({
        tarball: join(fresh, tarball),
        project: await writeProductionProject(join(work, "packages")),
        platform,
        hasNode,
        workFolder: work,
        archive: join(fresh, archive),
      });
      await rm(work, { recursive: true });
      files.push(archive);
    }
    if (platforms.length > 0) {
      await cp(join(root, "packaging", "install.sh"), join(fresh, "install.sh"));
      files.push("install.sh");
    }
    files.sort();
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
  readonly version?: string;
  readonly license?: string;
  readonly devDependencies?: unknown;
}
interface Sbom {
  serialNumber?: string;
  readonly metadata: { timestamp?: string };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly licenses?: readonly {
      readonly license?: { readonly id?: string };
      readonly expression?: string;
    }[];
  }[];
}

/**
 * Writes a project that has no development dependencies, below `parent`. npm with `--omit dev` in the
 * folder of the sources would leave out every package that a development tool needs too, the AWS
 * client and pg among them.
 */
async function writeProductionProject(parent: string): Promise<string> {
  const project = await readJson<{ name: string; devDependencies?: unknown }>("package.json");
  const lock = await readJson<Lock>("package-lock.json");
  const { devDependencies: _, ...production } = project;
  const packages = Object.entries(lock.packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([path, { devDependencies: __, ...locked }]) => [path, locked] as const);
  const folder = join(parent, project.name); // npm names the project in the list after its folder
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), `${JSON.stringify(production, null, 2)}\n`);
  const productionLock = { ...lock, packages: Object.fromEntries(packages) };
  await writeFile(join(folder, "package-lock.json"), JSON.stringify(productionLock));
  return folder;
}

/** A CycloneDX list of all packages that an installation of Forager brings. */
async function listComponents(project: string): Promise<Sbom> {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev", "--package-lock-only"];
  const sbom = JSON.parse(await runNpm(args, project)) as Sbom;
  // The two fields that differ each time; both are optional.
  delete sbom.serialNumber;
  delete sbom.metadata.timestamp;
  return sbom;
}

async function listLicences({ components }: Sbom): Promise<string> {
  const { packages } = await readJson<Lock>("package-lock.json");
  const installed = components.map(({ name, version, licenses = [] }): LicensedPackage => {
    const names = licenses.map(({ license, expression }) => license?.id ?? expression ?? "unknown");
    return { name, version, licence: names.join(", ") || "unknown" };
  });
  const bundled = bundledPackages.map((name): LicensedPackage => {
    const { version = "", license = "unknown" } = packages[`node_modules/${name}`] ?? {};
    return { name, version, licence: license };
  });
  return formatLicences({ installed, bundled });
}

async function readJson<Content>(path: string): Promise<Content> {
  return JSON.parse(await readFile(join(root, path), "utf8")) as Content;
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
