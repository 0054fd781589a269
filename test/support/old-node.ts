import { join } from "node:path";
import { cacheFolder } from "../../scripts/project.ts";
import { repositoryRoot } from "./repository.ts";

/** The lock folders in test/support/old-node: 18 lacks functions, 22 has a too old Node-API. */
export type OldNode = "18" | "22";

interface Bootstrap {
  readonly bringNode: (options: {
    readonly lockFolder: string;
    readonly folder: string;
    readonly why: string;
  }) => Promise<string>;
}

/** The path of a real Node that is too old for Forager. Fetched once, then kept in the cache. */
export async function bringOldNode(name: OldNode): Promise<string> {
  const bootstrap = join(repositoryRoot, "scripts/bootstrap.mjs");
  const { bringNode } = (await import(bootstrap)) as Bootstrap;
  return await bringNode({
    lockFolder: join(repositoryRoot, "test/support/old-node", name),
    folder: join(cacheFolder, `old-node-${name}`),
    why: "the tests need a Node that is too old",
  });
}
