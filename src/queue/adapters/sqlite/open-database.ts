import Database from "better-sqlite3";
import { existsSync, mkdirSync, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { AppError } from "../../../base/app-error.ts";
import { bootId } from "../../../base/machine-clock.ts";
import { applicationId, steps } from "./schema.ts";

export type Durability = "normal" | "full";

/**
 * Opens and, where needed, creates or upgrades the file. `normal` survives a crash of any process;
 * a power cut may take back the last moments, but never tears the file. `full` survives both.
 */
export function openDatabase(file: string, durability: Durability): Database.Database {
  if (file !== ":memory:") prepareFolder(file);
  const db = new Database(file);
  db.pragma("busy_timeout = 2000");
  db.pragma("journal_mode = wal");
  db.pragma(`synchronous = ${durability}`);
  db.pragma("cache_size = -65536");
  db.pragma("temp_store = memory");
  db.pragma("wal_autocheckpoint = 4000");
  inTransaction(db, () => migrate(db, file));
  if (inTransaction(db, () => noteOpener(db))) checkDamage(db, file);
  return db;
}

export function closeDatabase(db: Database.Database): void {
  if (!db.open) return;
  try {
    db.prepare("delete from opener where pid = ?").run(process.pid);
  } finally {
    db.close();
  }
}

export function inTransaction<T>(db: Database.Database, work: () => T): T {
  return db.transaction(work).immediate();
}

function prepareFolder(file: string): void {
  const folder = dirname(resolve(file));
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw new AppError(
      "unavailable",
      "queue_folder",
      `the folder ${folder} of the queue cannot be made: check its rights and the disk`,
      { cause },
    );
  }
  const name = networkFileSystems.get(statfsSync(folder).type >>> 0);
  if (name === undefined) return;
  throw new AppError(
    "invalid",
    "queue_on_network",
    `${folder} is on a network file system (${name}), where SQLite's locks do not hold: keep ` +
      `the queue on a local disk, or use PostgreSQL or a bucket to share it`,
  );
}

/** Magic numbers of statfs(2) for file systems whose locks are not to be trusted. */
const networkFileSystems = new Map([
  [0x6969, "nfs"],
  [0xff534d42, "cifs"],
  [0xfe534d42, "smb2"],
  [0x517b, "smb"],
  [0x01021997, "9p"],
  [0x00c36400, "ceph"],
  [0x5346414f, "afs"],
  [0x73757245, "coda"],
  [0x0bd00bd0, "lustre"],
  [0x65735546, "fuse"],
]);

function migrate(db: Database.Database, file: string): void {
  const version = db.pragma("user_version", { simple: true }) as number;
  const owner = db.pragma("application_id", { simple: true }) as number;
  const isEmpty = db.prepare("select 1 from sqlite_master limit 1").get() === undefined;
  if (!isEmpty && owner !== applicationId) {
    throw new AppError(
      "invalid",
      "not_a_queue",
      `${file} is a SQLite file of another program: give the queue a file of its own`,
    );
  }
  if (version > steps.length) {
    throw new AppError(
      "invalid",
      "queue_newer",
      `the queue ${file} was made by a newer version (format ${version}, this one knows ` +
        `${steps.length}): upgrade this program; nothing was changed`,
    );
  }
  for (const step of steps.slice(version)) db.exec(step);
  if (version === steps.length) return;
  db.pragma(`application_id = ${applicationId}`);
  db.pragma(`user_version = ${steps.length}`);
}

/** Notes that this process has the file open; true when one before it ended without closing it. */
function noteOpener(db: Database.Database): boolean {
  const boot = bootId();
  const openers = db.prepare("select pid, boot from opener").all() as {
    pid: number;
    boot: string;
  }[];
  const dead = openers.filter((opener) => opener.boot !== boot || !isAlive(opener.pid));
  for (const { pid } of dead) db.prepare("delete from opener where pid = ?").run(pid);
  db.prepare("insert or replace into opener (pid, boot) values (?, ?)").run(process.pid, boot);
  return dead.length > 0;
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
      `recover what can be read with "sqlite3 ${existsSync(file) ? file : "FILE"} .recover"`,
  );
}
