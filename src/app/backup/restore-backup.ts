import { existsSync, lstatSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import type { Paths } from "../../config/index.ts";
import type { OwnerLock } from "../../node/index.ts";
import type { BackupHead } from "./backup-format.ts";
import { openBackupStore, type BackupStore, type StoredBackup } from "./backup-store.ts";
import { isUntouched, sharedFolder } from "./data-files.ts";
import { preparedFolder, removePrepared, replaceContent } from "./replace-content.ts";
import { unpackBackup, type Unpacked } from "./unpack-backup.ts";

export interface ReadBackupOptions {
  readonly source: string;
  /** ISO time: use the newest backup made at or before it; undefined: the newest of all. */
  readonly at?: string | undefined;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly onFile?: () => void;
}

export async function listBackups({
  source,
  cwd,
  signal,
}: Pick<ReadBackupOptions, "source" | "cwd" | "signal">): Promise<readonly StoredBackup[]> {
  // prettier-ignore
  await using store = await openBackupStore(source, { cwd, signal });
  return await store.list();
}

/** Reads all of a backup and changes nothing. Throws if it is damaged. */
export async function verifyBackup(
  options: ReadBackupOptions,
): Promise<Unpacked & { readonly name: string }> {
  // prettier-ignore
  await using store = await openBackupStore(options.source, options);
  const backup = await choose(store, options.at);
  const unpacked = await unpackBackup({ ...options, chunks: store.read(backup) });
  checkMoment(unpacked.head, options.at);
  return { ...unpacked, name: backup.name };
}

async function choose(store: BackupStore, at: string | undefined): Promise<StoredBackup> {
  const all = await store.list();
  // The time of a backup in a single file is stored inside it: see `checkMoment`.
  const isFile = !/^(?:s3|dir):/.test(store.address);
  const found = all.find((one) => isFile || at === undefined || one.at <= at);
  if (found) return found;
  const oldest = all.at(-1);
  throw refused(
    oldest ? `the oldest backup in ${store.address} was made at ${oldest.at}` : `there is no backup in ${store.address}`, // prettier-ignore
  );
}

function checkMoment(head: BackupHead, at: string | undefined): void {
  if (at === undefined || head.at <= at) return;
  throw refused(`this backup was made at ${head.at}, after ${at}`);
}

const refused = (message: string) => new AppError("invalid", "backup_moment", message);

export interface RestoreBackupOptions extends ReadBackupOptions {
  readonly paths: Paths;
  readonly clock: Clock;
  /** Called after the backup was checked, if the data folder is not empty. */
  readonly mayReplace: (backup: Unpacked) => Promise<boolean>;
}

export interface RestoredBackup extends Unpacked {
  readonly name: string;
  /** Folder of the replaced content; undefined if there was none. */
  readonly replaced: string | undefined;
  /** Folder of the backup's settings files; undefined if it has none. */
  readonly settings: string | undefined;
}

/** Returns undefined if `mayReplace` returned false; then nothing was changed. */
export async function restoreBackup(
  options: RestoreBackupOptions,
): Promise<RestoredBackup | undefined> {
  const { paths, source, at, signal, clock } = options;
  const root = paths.root();
  await using store = await openBackupStore(source, options);
  const backup = await choose(store, at);
  const isNew = !existsSync(root);
  makeFolder(root, { mode: 0o700 });
  using _lock = await lockFolder(paths);
  removePrepared(root);
  try {
    const scratch = preparedFolder(root);
    const staged = `${scratch}.unpacked`;
    const unpacked = await unpackBackup({ chunks: store.read(backup), to: staged, onFile: options.onFile, signal }); // prettier-ignore
    checkMoment(unpacked.head, at);
    const hadContent = !isNew && hasContent(root);
    if (hadContent && !(await options.mayReplace(unpacked))) return undefined;
    makeFolder(join(staged, "data"), { mode: 0o700 });
    const settings = join(staged, "settings");
    const hasSettings = existsSync(settings);
    if (hasSettings) renameSync(settings, join(staged, "data", "restored-settings"));
    renameSync(join(staged, "data"), scratch);
    const id = new Date(clock.nowMs()).toISOString().slice(0, 19).replaceAll(":", "-");
    const kept = await replaceContent(root, id);
    return {
      ...unpacked,
      name: backup.name,
      replaced: hadContent ? kept : undefined,
      settings: hasSettings ? join(root, "restored-settings") : undefined,
    };
  } finally {
    removePrepared(root);
  }
}

async function lockFolder(paths: Paths): Promise<OwnerLock> {
  const { tryLockFile } = await import("../../node/adapters/folder/folder-lock.ts");
  makeFolder(paths.resolve("node"), { mode: 0o700 });
  const lock = tryLockFile(paths.resolve("node/owner.db"));
  if (lock) return lock;
  const message = `a process uses ${paths.root()}: stop \`forager up\`, \`forager work\` and other commands there first`; // prettier-ignore
  throw new AppError("unavailable", "restore_in_use", message);
}

/** Whether the data folder has entries that a restore would move. */
function hasContent(root: string): boolean {
  const names = readdirSync(root).filter((name) => !isUntouched(name) && name !== sharedFolder);
  const shared = join(root, sharedFolder);
  const inner = lstatSync(shared, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(shared) : []; // prettier-ignore
  return names.length > 0 || inner.some((name) => !isUntouched(`${sharedFolder}/${name}`));
}
