import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGzip } from "node:zlib";
import { AppError } from "../src/base/app-error.ts";
import { root } from "./project.ts";
import { runNpm } from "./run-npm.ts";

const run = promisify(execFile);

/** Machines that a release folder is made for, as Node names them. */
export const releasePlatforms = ["linux-x64", "linux-arm64"] as const;
export type ReleasePlatform = (typeof releasePlatforms)[number];

export interface ReleaseFolderOptions {
  /** The npm package, which holds the program and its pages. */
  readonly tarball: string;
  /** Has package.json and package-lock.json without development dependencies. */
  readonly project: string;
  readonly platform: ReleasePlatform;
  /** Puts Node beside the program. False: the machine must have one. */
  readonly hasNode: boolean;
  /** An empty folder for what is made on the way. */
  readonly workFolder: string;
  /** The archive to write: `.tar.gz`. */
  readonly archive: string;
}

/** Of npm's own archives. Any fixed moment does. */
const mtime = "@499162500";

/**
 * Writes an archive with one folder that runs as it is: the program, the packages that it needs,
 * Node, the systemd unit. The container image copies this folder, the installer unpacks it, and
 * the unit starts it. The same sources give the same bytes with the same version of Node.
 */
export async function packReleaseFolder(options: ReleaseFolderOptions): Promise<void> {
  const { tarball, project, platform, hasNode, workFolder, archive } = options;
  const folder = join(workFolder, "forager");
  await mkdir(folder, { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]);
  await installPackages(project, folder);
  await keepOnePlatform(join(folder, "node_modules", "better-sqlite3"), platform);
  await cp(join(root, "packaging", "bin"), join(folder, "bin"), { recursive: true });
  await cp(join(root, "packaging", "systemd"), join(folder, "systemd"), { recursive: true });
  if (hasNode) await bringNode(platform, folder, workFolder);
  const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
    readonly version: string;
  };
  const id = `${version}-${(await hashFolder(folder)).slice(0, 8)}`;
  const release = { format: 1, version, id, platform };
  await writeFile(join(folder, "release.json"), `${JSON.stringify(release, null, 2)}\n`);
  await writeArchive(workFolder, archive);
}

/** Production packages as the lock file has them, with its integrity hashes checked. */
async function installPackages(project: string, folder: string): Promise<void> {
  const args = ["--omit=dev", "--omit=peer", "--ignore-scripts", "--prefer-offline", "--no-audit"];
  await runNpm(["ci", ...args, "--no-fund"], project);
  const installed = join(project, "node_modules");
  // What npm notes for itself: it names the registry of this machine.
  for (const name of [".package-lock.json", ".bin"])
    await rm(join(installed, name), { recursive: true, force: true });
  await rename(installed, join(folder, "node_modules"));
  await cp(join(project, "package.json"), join(folder, "package.json"));
}

/** better-sqlite3 brings its binaries for all platforms, and sources to compile it from. */
async function keepOnePlatform(sqlite: string, platform: ReleasePlatform): Promise<void> {
  const prebuilds = join(sqlite, "prebuilds");
  const kept = `${platform}.node`;
  const binaries = await readdir(prebuilds);
  if (!binaries.includes(kept)) {
    const message = `better-sqlite3 has no ${kept}, only ${binaries.join(", ")}`;
    throw new AppError("internal", "no_sqlite_binary", message);
  }
  for (const name of binaries) if (name !== kept) await rm(join(prebuilds, name));
  for (const name of ["deps", "src"]) await rm(join(sqlite, name), { recursive: true });
}

/** The Node that `scripts/node/24` locks, for a platform that need not be this one. */
async function bringNode(
  platform: ReleasePlatform,
  folder: string,
  workFolder: string,
): Promise<void> {
  const work = join(workFolder, "node");
  await cp(join(root, "scripts", "node", "24"), work, { recursive: true });
  const [os, cpu] = platform.split("-") as [string, string];
  const args = ["ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  await runNpm([...args, `--os=${os}`, `--cpu=${cpu}`], work);
  const from = join(work, "node_modules", `node-${platform}`);
  await rename(join(from, "bin", "node"), join(folder, "bin", "node"));
  await chmod(join(folder, "bin", "node"), 0o755);
  await cp(join(from, "LICENSE"), join(folder, "bin", "node.LICENSE"));
}

/** Of the paths, modes and contents of all files. */
async function hashFolder(folder: string): Promise<string> {
  const hash = createHash("sha256");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  for (const path of paths) {
    const isProgram = ((await stat(path)).mode & 0o100) !== 0;
    hash.update(`${path.slice(folder.length)}\0${isProgram ? "x" : "-"}\0`);
    await pipeline(createReadStream(path), async (chunks) => {
      for await (const chunk of chunks) hash.update(chunk as Uint8Array);
    });
  }
  return hash.digest("hex");
}

/** Whatever clock, user and umask the machine has that makes it. */
async function writeArchive(workFolder: string, archive: string): Promise<void> {
  const fixed = ["--sort=name", `--mtime=${mtime}`, "--owner=0", "--group=0", "--numeric-owner"];
  const mode = "--mode=u+rwX,go+rX,go-w";
  const args = ["--create", "--format=gnu", ...fixed, mode, "-C", workFolder, "forager"];
  const tar = spawn("tar", args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<number>((resolve, reject) => {
    tar.once("error", reject);
    tar.once("close", (code) => resolve(code ?? 1));
  });
  await pipeline(tar.stdout, createGzip({ level: 6 }), createWriteStream(archive));
  const code = await ended;
  if (code !== 0) {
    const message = `tar ended with exit code ${code}: releases need GNU tar, as Linux has it`;
    throw new AppError("internal", "tar_failed", message);
  }
}
