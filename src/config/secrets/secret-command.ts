import { spawn } from "node:child_process";
import { AppError } from "../../base/app-error.ts";
import { systemClock, type Clock } from "../../base/clock.ts";
import type { Environment } from "../user-paths.ts";

export interface SecretCommand {
  /** Setting and place, for messages. */
  readonly name: string;
  readonly command: string;
  readonly folder: string;
  readonly env: Environment;
  readonly clock?: Clock;
}

export const secretCommandMsMax = 10_000;
export const secretBytesMax = 64 * 1024;

/**
 * Runs a command with the user's shell and returns its stdout. No error contains the output or the
 * command, which may hold a token.
 */
export function runSecretCommand(options: SecretCommand): Promise<Uint8Array> {
  const { name, command, folder, env, clock = systemClock } = options;
  const failed = (text: string, cause?: unknown) =>
    new AppError("invalid", "secret_unreadable", `${name}: the command ${text}`, { cause });

  return new Promise((resolve, reject) => {
    // In its own process group, so that the time limit also ends processes that the shell has
    // started.
    const child = spawn(env["SHELL"] || "/bin/sh", ["-c", command], {
      cwd: folder,
      env: { ...env },
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    });
    const chunks: Uint8Array[] = [];
    let size = 0;
    const stop = (error: AppError) => {
      timer.cancel();
      child.stdout.destroy();
      killGroup(child.pid);
      reject(error);
    };
    const timer = clock.setTimer(secretCommandMsMax, () =>
      stop(failed(`took longer than ${secretCommandMsMax / 1000} s and was ended`)),
    );
    child.stdout.on("data", (chunk: Uint8Array) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > secretBytesMax) stop(failed(`wrote more than ${secretBytesMax} bytes`));
    });
    child.on("error", (cause) => stop(failed("could not be started: is $SHELL right?", cause)));
    child.on("close", (code, signal) => {
      timer.cancel();
      if (code === 0) return resolve(Buffer.concat(chunks));
      const end = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
      reject(failed(`${end}: run it by hand to see why`));
    });
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return; // it was never started
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // it has ended
  }
}
