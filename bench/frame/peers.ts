import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/project.ts";
import { AppError } from "../../src/base/app-error.ts";
import { npmInstall } from "./npm.ts";

const benchFolder = join(root, "bench");

/**
 * Sees to it that the named peers are installed in bench/, in the version that bench/package.json
 * fixes. They are no dependency of ours, so nobody gets them who runs no bench.
 */
export async function installPeers(
  peers: readonly string[],
  log: (line: string) => void,
): Promise<void> {
  const missing = peers.filter(
    (peer) => installedVersion(benchFolder, peer) !== fixedVersion(peer),
  );
  if (missing.length === 0) return;
  log(`installing what this bench compares with (${missing.join(", ")}) into bench/node_modules`);
  await npmInstall({ folder: benchFolder });
}

function fixedVersion(peer: string): string {
  const { dependencies } = readManifest(benchFolder);
  const version = dependencies?.[peer];
  if (version) return version;
  throw new AppError(
    "invalid",
    "bench_peer_unknown",
    `a bench compares with "${peer}", which bench/package.json does not name: add it there`,
  );
}

/** The version that lies in `folder`/node_modules; undefined when the package is not there. */
export function installedVersion(folder: string, name: string): string | undefined {
  const packageFolder = join(folder, "node_modules", name);
  if (!existsSync(join(packageFolder, "package.json"))) return undefined;
  return readManifest(packageFolder).version;
}

function readManifest(folder: string): {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
} {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as object;
}
