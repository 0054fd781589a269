import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { AppError } from "../../base/app-error.ts";
import { parseRelease, type ReleaseFile } from "../release.ts";

const execute = promisify(execFile);

/** A release folder on this machine. */
export interface OpenRelease extends Pick<ReleaseFile, "id" | "version" | "platform"> {
  readonly folder: string;
  /** Whether the release contains its own Node. */
  readonly hasNode: boolean;
  /** The SHA-256 of each file by its path, `./dist/cli/main.js`. */
  readonly files: ReadonlyMap<string, string>;
  readonly bytes: number;
}

/** Releases of one version for several platforms. */
export interface ReleaseSource extends AsyncDisposable {
  readonly releases: readonly OpenRelease[];
}

const filesMax = 100_000;

/**
 * Opens a release folder, an archive `forager-VERSION-PLATFORM.tar.gz`, or the folder that `npm run
 * release` wrote. Archives are unpacked into a temporary folder. If a SHA256SUMS file beside an
 * archive lists it, the checksum must match.
 */
export async function openReleaseSource(path: string): Promise<ReleaseSource> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw invalid(`there is no release at ${path}: make one with \`npm run release\``);
  if (found.isDirectory() && (await isFile(join(path, "release.json")))) {
    const release = await readFolder(path);
    return { releases: [release], [Symbol.asyncDispose]: async () => {} };
  }
  const archives = found.isDirectory()
    ? (await readdir(path)).filter((name) => name.endsWith(".tar.gz")).map((name) => join(path, name)) // prettier-ignore
    : [path];
  if (archives.length === 0 || archives.length > 10) {
    throw invalid(`${path} is neither a release folder nor the output of \`npm run release\``);
  }
  const work = await mkdtemp(join(tmpdir(), "forager-deploy-"));
  const remove = () => rm(work, { recursive: true, force: true });
  try {
    const releases: OpenRelease[] = [];
    for (const [index, archive] of archives.entries()) {
      await checkSum(archive);
      const into = join(work, String(index));
      releases.push(await unpack(archive, into));
    }
    return { releases, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function unpack(archive: string, into: string): Promise<OpenRelease> {
  const script = 'mkdir "$2" && tar -xzf "$1" -C "$2" --strip-components=1';
  try {
    await execute("sh", ["-c", script, "sh", archive, into]);
  } catch (cause) {
    throw invalid(`${archive} cannot be unpacked: it is damaged, or the disk is full`, cause);
  }
  return await readFolder(into, archive);
}

/** `named` is the name used in messages. */
async function readFolder(folder: string, named = folder): Promise<OpenRelease> {
  const text = await readFile(join(folder, "release.json"), "utf8").catch(() => "");
  const release = parseRelease(text);
  if (!release || !/^[0-9A-Za-z.+-]{1,80}$/.test(release.id)) {
    throw invalid(`${named} is not a release: its release.json is missing or damaged`);
  }
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile());
  if (paths.length > filesMax) throw invalid(`${named} has more than ${filesMax} files`);
  const strange = entries.find((entry) => !entry.isFile() && !entry.isDirectory());
  if (strange) throw invalid(`${named} contains something that is not a file: ${strange.name}`);
  const files = new Map<string, string>();
  let bytes = 0;
  for (const { parentPath, name } of paths) {
    const path = join(parentPath, name);
    if (/[\r\n\\]/.test(path))
      throw invalid(`${named} contains a file with an unexpected name: ${name}`);
    files.set(`.${path.slice(folder.length)}`, await hashFile(path));
    bytes += (await stat(path)).size;
  }
  const { id, version, platform } = release;
  return { id, version, platform, folder, hasNode: files.has("./bin/node"), files, bytes };
}

async function checkSum(archive: string): Promise<void> {
  const sums = await readFile(join(dirname(archive), "SHA256SUMS"), "utf8").catch(() => "");
  const line = sums.split("\n").find((one) => one.endsWith(`  ${basename(archive)}`));
  if (line === undefined || line.startsWith(await hashFile(archive))) return;
  throw invalid(`${archive} is damaged: its checksum is not the one in SHA256SUMS`);
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), async (chunks) => {
    for await (const chunk of chunks) hash.update(chunk as Uint8Array);
  });
  return hash.digest("hex");
}

const isFile = async (path: string) => (await stat(path).catch(() => undefined))?.isFile() ?? false;

const invalid = (message: string, cause?: unknown) =>
  new AppError("invalid", "deploy_release", message, { cause });
