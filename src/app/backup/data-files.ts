import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import { isTemporaryFile } from "../../base/files/atomic-file.ts";

/** Where a restore prepares the new content, and keeps what was there before. */
export const restoringFolder = "restoring";
export const beforeRestoreFolder = "before-restore";

/**
 * Entries of a data folder that are in no backup and that a restore does not touch: they belong to
 * the running program or to other nodes, or an earlier restore keeps them.
 */
export const untouched: ReadonlySet<string> = new Set([
  "cache",
  "environments", // data folders of their own
  "logs",
  "lost+found",
  "node/api.json",
  "node/api.token",
  "node/configs.db",
  "node/metrics.token",
  "node/owner.db",
  "node/owner.json",
  "node/usage.db",
  "node/usage.db-shm",
  "node/usage.db-wal",
  beforeRestoreFolder,
  restoringFolder,
]);

/** The folder with the lock of the data folder. Its entries are moved one by one; the folder itself stays. */
export const sharedFolder = "node";

export const isUntouched = (name: string): boolean =>
  untouched.has(name) || /^demo-[a-z0-9]+$/.test(name);

/** Derived from other data, or useful only on this machine: in no backup, and removed by a restore. */
const derived: ReadonlySet<string> = new Set([
  "index",
  "ledger/spill",
  "nodes", // heartbeats
  "records/tmp",
  "robots",
]);

/** Copied together, after everything else: see `ledger-snapshot.ts`. */
export const ledgerFolders = ["ledger", "wal"] as const;

export interface DataFile {
  /** Path relative to the data folder, with `/` as separator. */
  readonly name: string;
  readonly path: string;
}

export interface DataFilesOptions {
  readonly root: string;
  /** Files that are copied in another way, together with their `-wal` and similar files: `queue.db`. */
  readonly except: readonly string[];
  /** Called for a link, pipe, device or socket, which is not copied. */
  readonly onSpecial: (name: string) => void;
}

/** The regular files to back up, except those of the ledger. */
export async function* dataFiles(options: DataFilesOptions): AsyncGenerator<DataFile> {
  const { except } = options;
  const beside = except.flatMap((name) => ["", "-wal", "-shm", "-id", "-journal"].map((end) => name + end)); // prettier-ignore
  const skipped = new Set<string>([...derived, ...ledgerFolders, ...beside]);
  yield* filesBelow("", options, (name) => skipped.has(name) || isUntouched(name));
}

/** All regular files below a folder of the data folder. */
export async function* filesBelow(
  folder: string,
  { root, onSpecial }: Pick<DataFilesOptions, "root" | "onSpecial">,
  isSkipped: (name: string) => boolean = () => false,
): AsyncGenerator<DataFile> {
  const entries = await opendir(join(root, folder)).catch(absentIsUndefined);
  if (!entries) return;
  let last: DataFile | undefined;
  for await (const entry of entries) {
    const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
    // `.forager` holds internal files of a `dir:` bucket: its lock, and objects being written.
    if (isSkipped(name) || isTemporaryFile(entry.name) || entry.name === ".forager") continue;
    const path = join(root, name);
    const found = await lstat(path).catch(absentIsUndefined);
    if (!found) continue;
    if (found.isDirectory()) yield* filesBelow(name, { root, onSpecial }, isSkipped);
    else if (!found.isFile()) onSpecial(name);
    // `_fields.tsv` records what was rendered. Copied last, it also covers the files copied before it.
    else if (entry.name === "_fields.tsv") last = { name, path };
    else yield { name, path };
  }
  if (last) yield last;
}

/** Other processes may delete files while a backup is made; such files are left out. */
export function absentIsUndefined(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
  throw error;
}
