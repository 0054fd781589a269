import { createSerial } from "../../../base/serial.ts";
import Database from "better-sqlite3";
import { AppError } from "../../../base/app-error.ts";
import { sleep, type Clock } from "../../../base/clock.ts";
import { formats, isReadable } from "../../../base/text/formats.ts";
import { bootId, machineMonotonicMs, machineMsSince } from "../../../base/machine-clock.ts";

export interface LockedStep {
  /**
   * The folder's clock: the wall clock is read once per boot, and then advances with the monotonic
   * clock.
   */
  readonly nowMs: number;
}

/**
 * Allows one writer at a time among all processes of a machine. The lock is a transaction on a
 * small SQLite file: the kernel releases it when its process ends, so no stale lock can remain. The
 * file also stores the folder's clock, so that objects do not get older when the wall clock steps.
 *
 * Transactions are exclusive from the beginning. A transaction that begins with a weaker lock needs
 * the exclusive lock to commit, and SQLite refuses that while another process reads, which every
 * process does that tries to begin. The transaction would stay open: its process could do nothing
 * more, and no other process could write.
 */
export interface DirectoryLock extends Disposable {
  /** Runs a synchronous step while no other process writes. */
  run<T>(step: (at: LockedStep) => T): Promise<T>;
  nowMs(): number;
}

const applicationId = 0x46524742; // "FRGB"
const waitMsMax = 30_000;

export function openDirectoryLock(file: string, clock: Clock): DirectoryLock {
  const boot = bootId();
  const db = new Database(file);
  let anchor: Anchor;
  try {
    db.pragma("busy_timeout = 5000");
    checkFormat(db, file);
    db.pragma("synchronous = off"); // the lock and the clock are worthless after a reboot
    const now = { boot, wallMs: clock.nowMs() };
    anchor = db.transaction(() => readAnchor(db, now)).exclusive();
  } catch (error) {
    db.close();
    throw error;
  }
  db.pragma("busy_timeout = 5"); // a wait inside SQLite blocks the whole process
  const nowMs = () => Math.floor(anchor.wallMs) + machineMsSince(anchor.monotonicMs);
  const note = db.prepare("update clock set latest_ms = max(latest_ms, ?)");

  const serial = createSerial();
  const locked = async <T>(step: (at: LockedStep) => T): Promise<T> => {
    const giveUpMs = clock.monotonicMs() + waitMsMax;
    for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 50)) {
      try {
        db.exec("begin exclusive");
        break;
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (clock.monotonicMs() > giveUpMs) throw stillLocked(file, error);
        await sleep(clock, waitMs);
      }
    }
    try {
      const at = { nowMs: nowMs() };
      note.run(at.nowMs);
      // What the step did to files is kept even if it throws; nothing in the database depends on
      // it.
      try {
        return step(at);
      } finally {
        if (db.inTransaction) db.exec("commit");
      }
    } finally {
      // The disk may be full or failing: a transaction that stays open would block every later
      // step.
      if (db.inTransaction) db.exec("rollback");
    }
  };

  return {
    run: (step) => serial.run(() => locked(step)),
    nowMs,
    [Symbol.dispose]: () => void db.close(),
  };
}

function checkFormat(db: Database.Database, file: string): void {
  const read = (name: string) => db.pragma(name, { simple: true }) as number;
  const isNew = read("application_id") === 0 && read("user_version") === 0;
  if (!isNew && read("application_id") !== applicationId) {
    const message = `${file} is a file of another program: use a separate folder for the bucket`;
    throw new AppError("invalid", "not_a_bucket", message);
  }
  isReadable("directoryBucket", { format: read("user_version") }, `the bucket of ${file}`);
  db.transaction(() => {
    db.exec(`create table if not exists clock (
      boot text not null, wall_ms real not null, monotonic_ms real not null,
      latest_ms real not null)`);
    db.pragma(`application_id = ${applicationId}`);
    db.pragma(`user_version = ${formats.directoryBucket.newest}`);
  }).exclusive();
}

interface Anchor {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/**
 * The first process that opens the folder after a boot sets it, never earlier than anything that
 * was written.
 */
function readAnchor(
  db: Database.Database,
  { boot, wallMs }: { readonly boot: string; readonly wallMs: number },
): Anchor {
  const known = db.prepare("select * from clock").get() as
    | { boot: string; wall_ms: number; monotonic_ms: number; latest_ms: number }
    | undefined;
  if (known?.boot === boot) return { wallMs: known.wall_ms, monotonicMs: known.monotonic_ms };
  const anchor = {
    wallMs: Math.max(wallMs, known?.latest_ms ?? 0),
    monotonicMs: machineMonotonicMs(),
  };
  db.exec("delete from clock");
  db.prepare("insert into clock values (?, ?, ?, ?)").run(
    boot,
    anchor.wallMs,
    anchor.monotonicMs,
    anchor.wallMs,
  );
  return anchor;
}

const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");

function stillLocked(file: string, cause: unknown): AppError {
  const message =
    `another process has written to this bucket for ${waitMsMax / 1_000} s (${file} is locked): ` +
    `check if a process hangs; nothing was changed`;
  return new AppError("unavailable", "bucket_locked", message, { cause });
}
