import { stat } from "node:fs/promises";
import { readRegularFile } from "../../base/files/regular-file.ts";
import type { Paths } from "../../config/index.ts";

/** Detects if the data folder is still the one with which a process started. */
export interface SameFolder {
  /** Remembers the current folder. */
  remember(): void;
  /** True also if the file system does not answer, because that proves nothing. */
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
      // Some file systems change inode numbers. Then the id of the node decides.
      return now.folder !== none && now.node !== undefined && now.node === before.node;
    },
  };
}

const none = "none";

interface Identity {
  /**
   * Device and inode; "none" if the folder does not exist; undefined if the file system did not
   * answer.
   */
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
    .catch(() => undefined); // it does not exist, or is not a data folder
  return { folder, node };
}
