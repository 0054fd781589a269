import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { builtCli } from "./built-cli.ts";
import { repositoryRoot } from "./repository.ts";

const run = promisify(execFile);

/** What package.json says, as far as tests of the package need it. */
export interface PackageDescription {
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
}

export interface PackedForager {
  /** The path of the .tgz. */
  readonly tarball: string;
  /** The paths of the files in it, relative to the package. */
  readonly files: readonly string[];
}

export function readPackage(folder = repositoryRoot): PackageDescription {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageDescription;
}

/** The names to import Forager's modules by: `forager/queue` and others. */
export function libraryEntries(): readonly string[] {
  return Object.keys(readPackage().exports)
    .filter((entry) => !entry.endsWith(".json"))
    .map((entry) => `forager${entry.slice(1)}`);
}

/** The environment of a user whose `node` is the one that runs this test. */
export const userEnvironment: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter),
};

/** Runs npm in a folder; resolves to what it prints. */
export async function runNpm(args: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await run("npm", args, { cwd, env: userEnvironment });
  return stdout;
}

/** Builds the program and makes the package as `npm publish` would. */
export async function packForager(folder: string): Promise<PackedForager> {
  await builtCli();
  const output = await runNpm(["pack", "--json", "--pack-destination", folder], repositoryRoot);
  const [made] = JSON.parse(output) as [{ filename: string; files: { path: string }[] }];
  return { tarball: join(folder, made.filename), files: made.files.map(({ path }) => path) };
}

/** Installs the package as a user does, into a folder that has nothing yet. */
export async function installIntoEmptyProject(tarball: string, folder: string): Promise<void> {
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  await runNpm(["install", tarball, ...installFlags], folder);
}

/** For an installation from an empty npm cache. */
export const installMsMax = 300_000;

export const installFlags = ["--prefer-offline", "--no-audit", "--no-fund"] as const;
