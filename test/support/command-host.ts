/**
 * Runs command lines of the built program one after the other, in one process: started by
 * shared-process.ts. Argument: the folder of the built program.
 */
import { writeSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import type { CommandLine } from "./shared-process.ts";

const [dist = ""] = process.argv.slice(2);
const load = async <Module>(file: string): Promise<Module> =>
  (await import(pathToFileURL(join(dist, file)).href)) as Module;

const { registry } = await load<typeof import("../../src/cli/registry.ts")>("cli/registry.js");
const { runCli } =
  await load<typeof import("../../src/cli/frame/run-cli.ts")>("cli/frame/run-cli.js");
const { readVersion } = await load<typeof import("../../src/base/version.ts")>("base/version.js");
const { systemClock } = await load<typeof import("../../src/base/clock.ts")>("base/clock.js");

process.umask(0o077); // as run-process.ts does
process.on("disconnect", () => process.exit(0));
process.on("message", (line: CommandLine) => void run(line));
process.send!("ready");

async function run({ args, folder, env, input }: CommandLine): Promise<void> {
  process.chdir(folder);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const stdin = new PassThrough();
  stdin.end(input);
  const exitCode = await runCli({
    argv: args,
    registry,
    version: readVersion(),
    stdin,
    stdout: { write: (text) => writeSync(1, text) },
    stderr: { write: (text) => writeSync(2, text) },
    env,
    cwd: folder,
    home: env["HOME"] ?? folder,
    clock: systemClock,
    signal: new AbortController().signal,
  });
  process.chdir(dist); // the test may remove its folder
  process.send!(exitCode);
}
