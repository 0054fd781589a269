import { mkdtemp, readFile, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { redactUrl } from "../../base/log/redact.ts";
import { readVersion } from "../../base/version.ts";
import type { Paths, Settings } from "../../config/index.ts";
import { locateQueue } from "../queue/queue-address.ts";
import { newHead } from "./backup-format.ts";
import { openBackupStore, type StoredBackup } from "./backup-store.ts";
import { packBackup } from "./pack-backup.ts";

export interface CreateBackupOptions {
  readonly paths: Paths;
  readonly settings: Settings;
  /** Paths of this machine's settings files, keyed by their name in the backup. */
  readonly settingsFiles: Readonly<Record<string, string>>;
  readonly target: string;
  readonly cwd: string;
  /** Only for a folder or bucket: how many backups to keep there, including this one. */
  readonly keep?: number | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onFile?: () => void;
}

export interface CreatedBackup {
  readonly address: string;
  readonly name: string;
  readonly at: string;
  readonly files: number;
  /** Size of the files before compression. */
  readonly bytes: number;
  /** `copied`, `none`, or the address of a queue that is not in the backup. */
  readonly queue: string;
  /** Symbolic links, pipes and other special files, which are not backed up. */
  readonly leftOut: readonly string[];
  readonly removed: readonly StoredBackup[];
}

/** Copies a data folder, even while nodes use it. It only reads the folder. */
export async function createBackup(options: CreateBackupOptions): Promise<CreatedBackup> {
  const { paths, settings, target, cwd, clock, signal } = options;
  const root = paths.root();
  if (!existsSync(root)) {
    throw new AppError("invalid", "backup_no_data", `there is no data folder ${root} to back up`);
  }
  if (!target.startsWith("s3:")) refuseInside(resolve(cwd, target.replace(/^dir:/, "")), root);
  await using store = await openBackupStore(target, { cwd, signal, isMade: true });
  const scratch = await mkdtemp(join(tmpdir(), "forager-backup-"));
  try {
    const at = new Date(clock.nowMs()).toISOString();
    const { queue, note } = await copyQueue({ settings, paths, scratch });
    const node = await nodeId(paths);
    const head = newHead({ at, program: readVersion(), queue: note, ...(node && { node }) });
    const leftOut: string[] = [];
    const packed = packBackup({
      root,
      head,
      queue,
      settings: options.settingsFiles,
      onSpecial: (name) => {
        if (leftOut.length < leftOutMax) leftOut.push(name);
      },
      onFile: options.onFile,
      signal,
    });
    const name = await store.write(packed.chunks, at);
    const { files, bytes } = await packed.end;
    const old = options.keep === undefined ? [] : (await store.list()).slice(options.keep);
    for (const one of old) await store.remove(one);
    return { address: store.address, name, at, files, bytes, queue: note, leftOut, removed: old };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** At most this many left-out files are listed by name. */
const leftOutMax = 100;

/** A backup inside the data folder would have to contain itself. */
function refuseInside(target: string, root: string): void {
  const way = relative(root, target);
  if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) return;
  const message = `${target} is inside the data folder: choose a place outside of it, on another disk if you can`;
  throw new AppError("invalid", "backup_target", message);
}

async function copyQueue({
  settings,
  paths,
  scratch,
}: Pick<CreateBackupOptions, "settings" | "paths"> & { readonly scratch: string }) {
  // prettier-ignore
  const { address, file } = locateQueue(settings.queue.url, paths);
  if (file === undefined) return { queue: undefined, note: redactUrl(address, new Set()) };
  if (!existsSync(file)) return { queue: undefined, note: "none" };
  const root = paths.root();
  if (!file.startsWith(root + sep)) return { queue: undefined, note: address };
  const copy = join(scratch, "queue.db");
  const { copyQueueFile } =
    await import("../../queue/adapters/sqlite/connection/copy-queue-file.ts");
  await copyQueueFile(file, copy);
  return { queue: { name: relative(root, file).split(sep).join("/"), copy }, note: "copied" };
}

async function nodeId(paths: Paths): Promise<string | undefined> {
  try {
    const text = await readFile(paths.resolve("ledger/node.json"), "utf8");
    return (JSON.parse(text) as { readonly node?: string }).node;
  } catch {
    return undefined;
  }
}
