import { spawn } from "node:child_process";
import { Readable } from "node:stream";
import { AppError } from "../../base/app-error.ts";
import { callHost, lastLine, requireEnded, type HostAccess } from "./host-call.ts";
import type { OpenRelease } from "./release-source.ts";

export interface UploadOptions {
  readonly access: HostAccess;
  readonly release: OpenRelease;
  readonly hasSudo: boolean;
  /** Each step of the upload renews the lock for this long. */
  readonly lockSeconds: number;
  readonly signal: AbortSignal;
}

export interface Uploaded {
  /** The number of files sent; the others are hard links to files of the current release. */
  readonly files: number;
}

const uploadMs = 1_800_000;

/**
 * Transfers a release to a host. Files that the current release also has are linked, the others are
 * sent. The host checks every file against its checksum and runs the program once before the folder
 * counts as a release.
 */
export async function upload(host: string, options: UploadOptions): Promise<Uploaded> {
  const { access, release, hasSudo, lockSeconds, signal } = options;
  const call = (action: string, ...args: string[]) =>
    callHost(host, access, { action, args: [...args, String(lockSeconds)], hasSudo, timeoutMs: uploadMs, signal }); // prettier-ignore
  const send = async (script: string, part: string, input: string | Readable, hint = "") => {
    const command = { script, args: [part], input, hasSudo, timeoutMs: uploadMs, signal };
    const { exitCode, stdout, stderr } = requireEnded(host, await access.run(host, command));
    if (exitCode === 0) return;
    throw new AppError("unavailable", "deploy_upload", `${host}: the upload failed: ${lastLine(`${stdout}${stderr}`)}${hint}`); // prettier-ignore
  };

  const there = parseManifest((await call("manifest")).get("file") ?? []);
  const staged = await call("stage", release.id);
  const part = staged.get("part")?.[0];
  if (part === undefined) return { files: 0 };
  const differing = [...there].filter(([path, hash]) => release.files.get(path) !== hash);
  const missing = [...release.files].filter(([path, hash]) => there.get(path) !== hash);
  if (differing.length > 0) {
    const list = differing.map(([path]) => `${path}\0`).join("");
    await send('cd "$1" && exec xargs -0 rm -f --', part, list);
  }
  if (missing.length > 0) {
    const paths = missing.map(([path]) => path);
    await send(
      'cd "$1" && exec tar -xf - --no-same-owner',
      part,
      packFiles(release.folder, paths),
      ". Is its disk full?",
    );
  }
  const sums = [...release.files].map(([path, hash]) => `${hash}  ${path}\n`).join("");
  await send('cd "$1" && exec sha256sum --quiet --strict --check -', part, sums);
  await call("accept", release.id, String(release.files.size));
  return { files: missing.length };
}

function parseManifest(lines: readonly string[]): ReadonlyMap<string, string> {
  const matches = lines.map((line) => /^([0-9a-f]{64}) [ *](\.\/.+)$/.exec(line));
  return new Map(matches.flatMap((found) => (found ? [[found[2]!, found[1]!] as const] : [])));
}

/** An archive of some files of a folder. An error of `tar` destroys the stream. */
function packFiles(folder: string, paths: readonly string[]): Readable {
  const args = ["-c", "-f", "-", "-C", folder, "--null", "-T", "-"];
  // Without this, macOS adds files with its own attributes to the archive.
  const tar = spawn("env", ["COPYFILE_DISABLE=1", "tar", ...args], { stdio: ["pipe", "pipe", "ignore"] }); // prettier-ignore
  tar.stdin.on("error", () => {}); // the exit code says what happened
  tar.stdin.end(paths.map((path) => `${path}\0`).join(""));
  tar.once("close", (code) => {
    if (code !== 0) tar.stdout.destroy(new Error(`tar ended with ${code}`));
  });
  return tar.stdout;
}
