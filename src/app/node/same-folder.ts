import { stat } from "node:fs/promises";
import { readRegularFile } from "../../base/files/regular-file.ts";
import type { Paths } from "../../config/index.ts";

/** Tells whether the data folder is still the one that a process began with. */
export interface SameFolder {
  /** From now on this folder is the one. */
  remember(): void;
  /** True also if the file system gives no answer, which proves nothing. */
  isSame(): Promise<boolean>;
}

export function rememberFolder(paths: Pick<Paths, "resolve">): SameFolder {
  let known: Promise<Identity> | undefined;
  const read = () => identityOf(paths);
  return {
    remember() {
      known = read();
    },
    async isSame() {
      const before = await known;
      if (!before || before.folder === undefined) return true;
      const now = await read();
      if (now.folder === undefined || now.folder === before.folder) return true;
      // Some file systems renumber their folders at times; then the id of the node decides.
      return now.folder !== none && now.node !== undefined && now.node === before.node;
    },
  };
}

const none = "none";

interface Identity {
  /** Device and inode; "none": it is not there; undefined: the file system gave no answer. */
  readonly folder: string | undefined;
  readonly node: string | undefined;
}

async function identityOf(paths: Pick<Paths, "resolve">): Promise<Identity> {
  const folder = await stat(paths.resolve("ledger"), { bigint: true }).then(
    ({ dev, ino }) => `${dev} ${ino}`,
    (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? none : undefined),
  );
  const node = await readRegularFile(paths.resolve("ledger/node.json"))
    .then((text) => (JSON.parse(text.toString()) as { readonly node?: string }).node)
    .catch(() => undefined); // it is not there, or not one of ours
  return { folder, node };
}
