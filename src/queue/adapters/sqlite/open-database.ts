import Database from "better-sqlite3";
import { accessSync, constants, existsSync, realpathSync, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { AppError } from "../../../base/app-error.ts";
import { newerFormat } from "../../../base/formats.ts";
import { bootId } from "../../../base/machine-clock.ts";
import { networkFileSystem } from "../../../base/network-file-system.ts";
import { makeSyncedFolder } from "../../../base/synced-folder.ts";
import type { QueueFormat } from "../../queue-store.ts";
import { applicationId, steps } from "./schema.ts";
import { readOnlyAdvice } from "./sqlite-error.ts";
import { checkWalOwner, noteWalOwner } from "./wal-owner.ts";

export type Durability = "normal" | "full";

/** While opening nothing else runs yet, so SQLite itself may wait for the others. */
const openingBusyMs = 2_000;
/**
 * Afterwards a wait inside SQLite holds up the whole event loop: enough for another's short
 * transaction, and the store waits for longer ones.
 */
const workingBusyMs = 5;

/**
 * Opens and, where needed, creates or upgrades the file. `full` syncs every commit, so it survives a
 * power cut. `normal` survives a crash of any process; a power cut may take back the last commits,
 * but never tears the file. A file that is refused is not written to.
 */
export function openDatabase(
  file: string,
  durability: Durability,
  migrations: readonly string[] = steps,
): Database.Database {
  const boot = bootId();
  const isFile = file !== ":memory:";
  if (isFile) {
    prepareFolder(file);
    checkWalOwner(realFile(file));
  }
  const db = new Database(file);
  try {
    db.pragma(`busy_timeout = ${openingBusyMs}`);
    checkVersion(db, file, migrations);
    db.pragma("journal_mode = wal");
    db.pragma(`synchronous = ${durability}`);
    // In KiB. More of it made nothing faster, and each worker of a Pi has one.
    db.pragma("cache_size = -16384");
    db.pragma("temp_store = memory");
    db.pragma("wal_autocheckpoint = 4000");
    inTransaction(db, () => migrate(db, file, migrations));
    noteOpener(db, file, boot);
    if (isFile) noteWalOwner(realFile(file));
    db.pragma(`busy_timeout = ${workingBusyMs}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** For what else belongs to opening: it waits for the others as opening does. */
export function whileOpening<T>(db: Database.Database, work: () => T): T {
  db.pragma(`busy_timeout = ${openingBusyMs}`);
  const made = work();
  db.pragma(`busy_timeout = ${workingBusyMs}`);
  return made;
}

/**
 * `isLost`: the file was deleted or replaced. Nothing is written then, since the log may be in use by
 * the openers of another file; SQLite itself leaves the log of a file that was moved alone.
 */
export function closeDatabase(
  db: Database.Database,
  { isLost = false }: { readonly isLost?: boolean } = {},
): void {
  if (!db.open) return;
  try {
    db.pragma(`busy_timeout = ${openingBusyMs}`);
    const isLast = forgetOpening(db);
    if (isLast && !isLost) db.prepare("delete from opener where pid = ?").run(process.pid);
  } catch (error) {
    // All that was answered is in the file; the note that stays makes the next opener check it,
    // and that is right after a disk that failed.
    if (!(error instanceof Database.SqliteError)) throw error;
  } finally {
    db.close();
  }
}

export function inTransaction<T>(db: Database.Database, work: () => T): T {
  return db.transaction(work).immediate();
}

function prepareFolder(file: string): void {
  const folder = dirname(resolve(file));
  makeSyncedFolder(folder);
  try {
    // SQLite would open it all the same, for reading, and fail at some later moment.
    for (const path of existsSync(file) ? [folder, file] : [folder]) {
      accessSync(path, constants.W_OK);
    }
  } catch (cause) {
    throw new AppError("unavailable", "queue_read_only", readOnlyAdvice(file), { cause });
  }
  const name = networkFileSystem(statfsSync(folder).type);
  if (name === undefined) return;
  throw new AppError(
    "invalid",
    "queue_on_network",
    `${folder} is on a network file system (${name}), where SQLite's locks do not hold: keep ` +
      `the queue on a local disk, or use PostgreSQL or a bucket to share it`,
  );
}

/**
 * Every step leaves a file that versions with fewer steps can use: `user_version`, the only number they
 * look at, stays what it is until the upgrade is finished. How many steps were made is in `meta`.
 */
function migrate(db: Database.Database, file: string, migrations: readonly string[]): void {
  // Read again: another process may have been quicker.
  const { format } = checkVersion(db, file, migrations);
  if (format >= migrations.length) return;
  for (const step of migrations.slice(format)) db.exec(step);
  if (format > 0) return noteFormat(db, migrations.length);
  db.pragma(`application_id = ${applicationId}`);
  db.pragma(`user_version = ${migrations.length}`);
}

const formatName = "format";
const noteFormat = (db: Database.Database, format: number) =>
  void db.prepare("insert or replace into meta values (?, ?)").run(formatName, format);

/** How many steps were made, and how many a version must know to use the file. */
export function readFormat(db: Database.Database): QueueFormat {
  const readableBy = db.pragma("user_version", { simple: true }) as number;
  if (readableBy === 0) return { format: 0, readableBy };
  const made = db.prepare("select value from meta where name = ?").pluck().get(formatName);
  return { format: Math.max(readableBy, Number(made ?? 0)), readableBy };
}

/** Versions with fewer steps are refused from then on. */
export function finishUpgrade(db: Database.Database): QueueFormat {
  return inTransaction(db, () => {
    const { format } = readFormat(db);
    db.pragma(`user_version = ${format}`);
    db.prepare("delete from meta where name = ?").run(formatName);
    return { format, readableBy: format };
  });
}

/** Refuses what this program did not make or does not know. */
function checkVersion(
  db: Database.Database,
  file: string,
  migrations: readonly string[],
): QueueFormat {
  const version = db.pragma("user_version", { simple: true }) as number;
  const owner = db.pragma("application_id", { simple: true }) as number;
  const hasTables = db.prepare("select 1 from sqlite_master limit 1").get() !== undefined;
  const isNew = owner === 0 && version === 0 && !hasTables;
  if (!isNew && owner !== applicationId) {
    throw new AppError(
      "invalid",
      "not_a_queue",
      `${file} is a SQLite file of another program: give the queue a file of its own`,
    );
  }
  if (version > migrations.length) {
    const newest = migrations.length;
    throw newerFormat({ code: "queue_newer", format: version, newest, where: `the queue ${file}` });
  }
  return readFormat(db);
}

/** Where symbolic links lead: SQLite names the log after that. */
export const realFile = (file: string): string =>
  existsSync(file) ? realpathSync(file) : resolve(file);

/** How often this process has each file open: its note goes with the last of them. */
const openings = new Map<string, number>();
const pathOf = (db: Database.Database) => (db.memory ? db.name : realFile(db.name));
const paths = new WeakMap<Database.Database, string>();

/**
 * Notes that this process has the file open. Where one before it ended without closing it, the
 * file is checked first, and the note of the dead stays until it was found whole.
 */
function noteOpener(db: Database.Database, file: string, boot: string): void {
  const path = pathOf(db);
  const openers = db.prepare("select pid, boot from opener").all() as {
    pid: number;
    boot: string;
  }[];
  // In a container the next process often has the same number as the dead one.
  const isHere = (pid: number) => (pid === process.pid ? openings.has(path) : isAlive(pid));
  const dead = openers.filter((opener) => opener.boot !== boot || !isHere(opener.pid));
  if (dead.length > 0) checkDamage(db, file);
  inTransaction(db, () => {
    for (const { pid } of dead) db.prepare("delete from opener where pid = ?").run(pid);
    db.prepare("insert or replace into opener (pid, boot) values (?, ?)").run(process.pid, boot);
  });
  paths.set(db, path);
  openings.set(path, (openings.get(path) ?? 0) + 1);
}

/** True if this process has the file open no more. */
function forgetOpening(db: Database.Database): boolean {
  const path = paths.get(db);
  if (path === undefined) return false;
  const left = (openings.get(path) ?? 0) - 1;
  if (left > 0) {
    openings.set(path, left);
    return false;
  }
  openings.delete(path);
  return true;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function checkDamage(db: Database.Database, file: string): void {
  const found = db.pragma("quick_check(5)", { simple: true });
  if (found === "ok") return;
  throw new AppError(
    "corrupt",
    "queue_corrupt",
    `the queue ${file} is damaged (${String(found)}): keep a copy, then restore a backup, or ` +
      `recover what can be read with "sqlite3 ${file} .recover"`,
  );
}
