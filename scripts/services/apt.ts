import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../src/base/app-error.ts";
import { findProgram } from "./command.ts";

export interface PackagesOptions {
  readonly packages: readonly string[];
  /** What to say while it runs: what for, how long, how much. */
  readonly note: string;
  /** What a person can do where we may not install. */
  readonly advice: string;
  readonly print: (line: string) => void;
}

const lockAttemptsMax = 60;

/** Installs Debian packages if we may; a `service_missing` error with the advice if we may not. */
export async function installPackages(options: PackagesOptions): Promise<void> {
  const { packages, note, advice, print } = options;
  const apt = await findProgram(["apt-get"]);
  if (process.getuid?.() !== 0 || !apt)
    throw new AppError("unavailable", "service_missing", advice);
  print(`installing ${packages.join(", ")} with apt-get (${note})`);
  await runApt(["install", "-y", "--no-install-recommends", ...packages]);
}

/** Downloads the file of a Debian package into a folder and installs nothing. */
export const downloadPackage = (name: string, folder: string): Promise<void> =>
  runApt(["download", name], folder);

/**
 * Services start at the same time, each in a process of its own, and apt-get reads package lists
 * wrongly while another one replaces them. So they take turns by a lock; the first reads the lists.
 * What apt-get starts does not inherit the lock: it may go on running.
 */
const script = `
exec 9> "$LOCK"
flock -w 1800 9
if [ -w /var/lib/apt/lists ] && [ -z "$(find "$LOCK.updated" -mmin -10 2> /dev/null)" ]; then
  apt-get -o DPkg::Lock::Timeout=300 update 9>&-
  touch "$LOCK.updated"
fi
apt-get -o DPkg::Lock::Timeout=300 "$@" 9>&-
`;

/**
 * Runs apt-get, waiting for its turn when somebody else holds the lock. It runs in a session of
 * its own and writes to a file: a run that is interrupted leaves it to finish, because an
 * installation cut in the middle has to be repaired by hand.
 */
async function runApt(args: readonly string[], folder = tmpdir()): Promise<void> {
  const logFile = join(tmpdir(), `forager-apt-${process.pid}.log`);
  for (let attempt = 1; ; attempt++) {
    const code = await runDetached(args, { logFile, folder });
    if (code === 0) return await rm(logFile);
    const output = await readFile(logFile, "utf8");
    const isLocked = /Could not get lock|Unable to lock/.test(output);
    if (!isLocked || attempt === lockAttemptsMax) {
      const tail = output.trim().split("\n").slice(-15).join("\n");
      const message = `\`apt-get ${args.join(" ")}\` failed (log: ${logFile}): ${tail}`;
      throw new AppError("unavailable", "apt_failed", message);
    }
    await delay(2_000);
  }
}

interface DetachedOptions {
  readonly logFile: string;
  /** Where it runs. */
  readonly folder: string;
}

function runDetached(
  args: readonly string[],
  { logFile, folder }: DetachedOptions,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const log = openSync(logFile, "w");
    const child = spawn("sh", ["-e", "-c", script, "sh", ...args], {
      cwd: folder,
      detached: true,
      stdio: ["ignore", log, log],
      env: {
        ...process.env,
        DEBIAN_FRONTEND: "noninteractive",
        LOCK: join(tmpdir(), "forager-apt.lock"),
      },
    });
    closeSync(log);
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}
