import { spawn } from "node:child_process";
import { once } from "node:events";
import { AppError } from "../../src/base/app-error.ts";

export interface NpmInstallOptions {
  readonly folder: string;
  /** What to add, such as `pg-boss@12.35.0`; nothing means: all that package.json names. */
  readonly packages?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs `npm install` in a folder of its own. Its output goes to stderr: stdout is the result's. */
export async function npmInstall({
  folder,
  packages = [],
  env = {},
}: NpmInstallOptions): Promise<void> {
  const npm = spawn("npm", ["install", ...flags, ...packages], {
    cwd: folder,
    env: { ...withoutOuterNpm(process.env), ...env },
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32", // npm is a .cmd there
  });
  const [code] = (await once(npm, "exit")) as [number | null];
  if (code === 0) return;
  const wanted = packages.length > 0 ? packages.join(" ") : "the packages of package.json";
  throw new AppError(
    "unavailable",
    "bench_install_failed",
    `npm could not install ${wanted} in ${folder} (exit ${code}): see its lines above`,
  );
}

const flags = [
  "--save-exact",
  "--no-audit",
  "--no-fund",
  "--loglevel=error",
  // Lock files name packages and hashes, never the registry they happened to come from.
  "--omit-lockfile-registry-resolved",
];

/** `npm run` hands its own settings down, among them the folder of the outer package. */
function withoutOuterNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isOuter = (name: string) => /^npm_(package|lifecycle|config_(local_)?prefix)/.test(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isOuter(name)));
}
