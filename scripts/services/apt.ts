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
  readonly say: (line: string) => void;
}

const lockAttemptsMax = 60;

/** Installs Debian packages if we may; a `service_missing` error with the advice if we may not. */
export async function installPackages(options: PackagesOptions): Promise<void> {
  const { packages, note, advice, say } = options;
  const apt = await findProgram(["apt-get"]);
  if (process.getuid?.() !== 0 || !apt)
    throw new AppError("unavailable", "service_missing", advice);
  say(`installing ${packages.join(", ")} with apt-get (${note})`);
  await runApt(apt, ["update"]);
  await runApt(apt, ["install", "-y", "--no-install-recommends", ...packages]);
}

/**
 * Runs apt-get, waiting for its turn when another one holds the lock. It runs in a session of
 * its own and writes to a file: a run that is interrupted leaves it to finish, because an
 * installation cut in the middle has to be repaired by hand.
 */
async function runApt(apt: string, args: readonly string[]): Promise<void> {
  const logFile = join(tmpdir(), `forager-apt-${process.pid}.log`);
  for (let attempt = 1; ; attempt++) {
    const code = await runDetached(apt, ["-o", "DPkg::Lock::Timeout=300", ...args], logFile);
    if (code === 0) return await rm(logFile);
    const output = await readFile(logFile, "utf8").catch(() => "");
    const isLocked = /Could not get lock|Unable to lock/.test(output);
    if (!isLocked || attempt === lockAttemptsMax) {
      const tail = output.trim().split("\n").slice(-15).join("\n");
      const message = `\`apt-get ${args.join(" ")}\` failed (log: ${logFile}): ${tail}`;
      throw new AppError("unavailable", "apt_failed", message);
    }
    await delay(2_000);
  }
}

function runDetached(apt: string, args: readonly string[], logFile: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const log = openSync(logFile, "w");
    const child = spawn(apt, args, {
      detached: true,
      stdio: ["ignore", log, log],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
    closeSync(log);
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}
