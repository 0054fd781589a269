import { AppError } from "../../src/base/app-error.ts";
import { installPackages } from "./apt.ts";
import { findProgram, runCommand } from "./command.ts";

export interface Browser {
  readonly path: string;
  readonly version: string;
}

const advice =
  `Chromium is not installed. On Debian: sudo apt-get install chromium. Elsewhere: install it ` +
  `and set FORAGER_TEST_CHROMIUM to the path of its program.`;

/** Finds Chromium, or installs Debian's where we may. A program, not a server: nothing to stop. */
export async function findChromium(print: (line: string) => void): Promise<Browser> {
  const path = await chromiumPath(print);
  // As root it says nothing without --no-sandbox, not even its version.
  const output = await runCommand(path, ["--version", "--no-sandbox"], { timeoutMs: 30_000 });
  return { path, version: output.trim() };
}

async function chromiumPath(print: (line: string) => void): Promise<string> {
  const given = process.env["FORAGER_TEST_CHROMIUM"];
  if (given) return given;
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const found = await findProgram(names);
  if (found) return found;
  await installPackages({ packages: ["chromium"], note: "about 40 s, 300 MB", advice, print });
  const installed = await findProgram(names);
  if (!installed) throw new AppError("unavailable", "service_missing", advice);
  return installed;
}
