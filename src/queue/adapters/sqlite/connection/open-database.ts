import Database from "better-sqlite3";
import { accessSync, constants, existsSync, realpathSync, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { AppError } from "../../../../base/app-error.ts";
import { newerFormat } from "../../../../base/text/formats.ts";
import { bootId } from "../../../../base/machine-clock.ts";
import { networkFileSystem } from "../../../../base/files/network-file-system.ts";
import { makeSyncedFolder } from "../../../../base/files/synced-folder.ts";
import type { QueueFormat } from "../../../queue-store.ts";
import { applicationId, steps } from "./schema.ts";
import { readOnlyAdvice } from "./sqlite-error.ts";
import { checkWalOwner, noteWalOwner } from "./wal-owner.ts";

export type Durability = "normal" | "full";

/** While the file is opened nothing else runs, so SQLite itself may wait for other processes. */
const openingBusyMs = 2_000;
/**
 * After opening, a wait inside SQLite blocks the event loop: it may cover only a short transaction
 * of another process, and the store itself waits for longer ones.
 */
const workingBusyMs = 5;

/**
 * Opens the file, and creates or upgrades it if needed. `full` syncs every commit, so commits
 * survive a power cut. With `normal` they survive a crash of any process; a power cut may undo the
 * last commits, but never corrupts the file. A file that is refused is not written.
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
    // In KiB. A larger cache made nothing faster, and on a Pi each worker has one.
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

/** For other work during opening: it waits for other processes like opening does. */
export function whileOpening<T>(db: Database.Database, work: () => T): T {
  db.pragma(`busy_timeout = ${openingBusyMs}`);
  const made = work();
  db.pragma(`busy_timeout = ${workingBusyMs}`);
  return made;
}

/**
 * `isLost`: the file was deleted or replaced. Then nothing is written, because processes that
 * opened another file may use the log. SQLite itself does not touch the log of a file that was
 * moved.
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
    // All answered commits are in the file. The note remains, so the next opener checks the file,
    // which is right after a failing disk.
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
    // SQLite would open the file read-only and fail later.
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
 * After every step, versions with fewer steps can still use the file: `user_version`, the only number
 * that they check, does not change until the upgrade is finished. The number of steps is in `meta`.
 */
function migrate(db: Database.Database, file: string, migrations: readonly string[]): void {
  // Read again: another process may have been faster.
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

/** The number of steps that the file has, and how many of them a version must know to use it. */
export function readFormat(db: Database.Database): QueueFormat {
  const readableBy = db.pragma("user_version", { simple: true }) as number;
  if (readableBy === 0) return { format: 0, readableBy };
  const made = db.prepare("select value from meta where name = ?").pluck().get(formatName);
  return { format: Math.max(readableBy, Number(made ?? 0)), readableBy };
}

/** After this, versions with fewer steps are refused. */
export function finishUpgrade(db: Database.Database): QueueFormat {
  return inTransaction(db, () => {
    const { format } = readFormat(db);
    db.pragma(`user_version = ${format}`);
    db.prepare("delete from meta where name = ?").run(formatName);
    return { format, readableBy: format };
  });
}

/** Refuses a file that is not ours or that a newer version wrote. */
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

/** The path after resolving links: SQLite names the log after it. */
export const realFile = (file: string): string =>
  existsSync(file) ? realpathSync(file) : resolve(file);

/** How often this process has each file open: its note is removed when the last one is closed. */
const openings = new Map<string, number>();
const pathOf = (db: Database.Database) => (db.memory ? db.name : realFile(db.name));
const paths = new WeakMap<Database.Database, string>();

/**
 * Notes that this process has the file open. If an earlier process ended without closing the file,
 * the file is checked first, and the note of that process stays until the check has succeeded.
 */
function noteOpener(db: Database.Database, file: string, boot: string): void {
  const path = pathOf(db);
  const openers = db.prepare("select pid, boot from opener").all() as {
    pid: number;
    boot: string;
  }[];
  // In a container, the next process often has the same number as the dead one.
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

/** True if this process no longer has the file open. */
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
