import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import { isTemporaryFile } from "../../base/atomic-file.ts";

/** Where a restore prepares the new content, and keeps what was there before. */
export const restoringFolder = "restoring";
export const beforeRestoreFolder = "before-restore";

/**
 * What a restore leaves alone in a data folder, and no backup has: what belongs to the running
 * program, what other nodes use, and what restores keep.
 */
export const untouched: ReadonlySet<string> = new Set([
  "cache",
  "environments", // data folders of their own
  "logs",
  "lost+found",
  "node/api.json",
  "node/api.token",
  "node/metrics.token",
  "node/owner.db",
  "node/owner.json",
  "node/usage.db",
  "node/usage.db-shm",
  "node/usage.db-wal",
  beforeRestoreFolder,
  restoringFolder,
]);

/** Folders of which only the entries are moved or copied: the lock of the data folder is in it. */
export const sharedFolder = "node";

export const isUntouched = (name: string): boolean =>
  untouched.has(name) || /^demo-[a-z0-9]+$/.test(name);

/** Derived from the rest, or of no use elsewhere: no backup has it, and a restore removes it. */
const derived: ReadonlySet<string> = new Set([
  "index",
  "ledger/spill",
  "nodes", // heartbeats
  "records/tmp",
  "robots",
]);

/** Copied together, after all else: see `ledger-snapshot.ts`. */
export const ledgerFolders = ["ledger", "wal"] as const;

export interface DataFile {
  /** Below the data folder, with `/`. */
  readonly name: string;
  readonly path: string;
}

export interface DataFilesOptions {
  readonly root: string;
  /** Files that are copied in another way, with what is beside them: `queue.db`. */
  readonly except: readonly string[];
  /** A link, pipe, device or socket: it is not copied. */
  readonly onSpecial: (name: string) => void;
}

/** The regular files of a data folder that a backup has, except those of the ledger. */
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
    // `.forager` is what a bucket in a folder has for itself: its lock, and what is being written.
    if (isSkipped(name) || isTemporaryFile(entry.name) || entry.name === ".forager") continue;
    const path = join(root, name);
    const found = await lstat(path).catch(absentIsUndefined);
    if (!found) continue;
    if (found.isDirectory()) yield* filesBelow(name, { root, onSpecial }, isSkipped);
    else if (!found.isFile()) onSpecial(name);
    // It says what earlier renders showed: behind the render, it has that one too.
    else if (entry.name === "_fields.tsv") last = { name, path };
    else yield { name, path };
  }
  if (last) yield last;
}

/** Processes go on while a backup is made: what they have removed is not in it. */
export function absentIsUndefined(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
  throw error;
}
