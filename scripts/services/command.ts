import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { AppError } from "../../src/base/app-error.ts";
import type { Owner } from "./daemon.ts";

export interface CommandOptions {
  readonly timeoutMs: number;
  readonly owner?: Owner | undefined;
}

/** Runs a command to its end and returns what it printed; an error with its output otherwise. */
export function runCommand(
  command: string,
  args: readonly string[],
  { timeoutMs, owner }: CommandOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: timeoutMs, maxBuffer: 16 * 1024 * 1024, ...owner };
    execFile(command, args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const why = error.killed ? `took more than ${timeoutMs / 1_000} s` : "failed";
      const output = `${stdout}${stderr}`.trim().split("\n").slice(-15).join("\n");
      const message = `\`${command} ${args.join(" ")}\` ${why}: ${output || error.message}`;
      reject(new AppError("internal", "command_failed", message, { cause: error }));
    });
  });
}

/** The path of the first of these programs that is installed, or undefined. */
export async function findProgram(names: readonly string[]): Promise<string | undefined> {
  // Servers live in sbin on Debian, which is not on the PATH of a normal user.
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"];
  for (const name of names)
    for (const folder of folders) {
      if (folder === "") continue;
      const path = join(folder, name);
      if (await isExecutable(path)) return path;
    }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
