import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { AppError } from "../src/base/app-error.ts";

const run = promisify(execFile);

/** Runs npm in a folder; resolves to what it prints. */
export async function runNpm(args: readonly string[], cwd: string): Promise<string> {
  const shell = process.platform === "win32"; // npm is a .cmd there
  try {
    return (await run("npm", args, { cwd, shell, maxBuffer: 64 * 1024 * 1024 })).stdout;
  } catch (error) {
    const { stderr = "" } = error as { readonly stderr?: string };
    const message = `\`npm ${args[0]}\` failed: ${stderr.trim() || String(error)}`;
    throw new AppError("internal", "npm_failed", message, { cause: error });
  }
}
