import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../../scripts/project.ts";
import { repositoryRoot } from "./repository.ts";

/** The lock folders in test/support/old-node: 18 lacks functions, 22 has a too old Node-API. */
export type OldNode = "18" | "22";

/** The lock folders in scripts/node: the oldest that Forager supports, and the one we recommend. */
export type SupportedNode = "22" | "24";

interface Bootstrap {
  readonly bringNode: (options: {
    readonly lockFolder: string;
    readonly folder: string;
    readonly why: string;
  }) => Promise<string>;
}

/** For 40 to 50 MB, the first time. */
export const bringMsMax = 300_000;

/** The path of a real Node that is too old for Forager. Fetched once, then kept in the cache. */
export async function bringOldNode(name: OldNode): Promise<string> {
  const { bringNode } = await loadBootstrap();
  return await bringNode({
    lockFolder: join(repositoryRoot, "test/support/old-node", name),
    folder: join(cacheFolder, `old-node-${name}`),
    why: "the tests need a Node that is too old",
  });
}

/** The path of a supported Node: the one that runs this test, if it is that one. */
export async function bringSupportedNode(name: SupportedNode): Promise<string> {
  const lockFolder = join(repositoryRoot, "scripts/node", name);
  if (versionsIn(lockFolder).includes(process.versions.node)) return process.execPath;
  const { bringNode } = await loadBootstrap();
  const folder = join(cacheFolder, `node-${name}`); // as `npm test -- --node` does
  return await bringNode({ lockFolder, folder, why: `the tests need Node ${name}` });
}

const loadBootstrap = async () =>
  (await import(join(repositoryRoot, "scripts/bootstrap.mjs"))) as Bootstrap;

/** Of the platforms: not every version was made for all of them. */
function versionsIn(lockFolder: string): readonly string[] {
  const { optionalDependencies } = JSON.parse(
    readFileSync(join(lockFolder, "package.json"), "utf8"),
  ) as { readonly optionalDependencies: Readonly<Record<string, string>> };
  return Object.values(optionalDependencies);
}
