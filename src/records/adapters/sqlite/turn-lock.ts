import Database from "better-sqlite3";
import { AppError } from "../../../base/app-error.ts";
import { sleep, type Clock } from "../../../base/clock.ts";
import type { Logger } from "../../../base/logger.ts";
import { guarded } from "./index-error.ts";

/**
 * Whose turn it is among the processes of a machine. Two locks of the kernel, on files beside the
 * index that stay empty; both end with the process, however it ends.
 * - `-turn`: held for a turn;
 * - `-next`: held by the one who waits for it. Who was just at it has to get this one first, so
 *   nobody takes turn after turn while another waits.
 */
export interface TurnLock extends Disposable {
  /** Rejects with an AppError `aborted` when the signal fires while it waits. */
  take(clock: Clock, signal?: AbortSignal): Promise<Disposable>;
}

/** Longer than any turn but that of filling an index of millions. */
const waitMsMax = 10 * 60_000;
/** After that people want to know what it is waiting for. */
const patienceMs = 10_000;

export function openTurnLock(file: string, log: Logger): TurnLock {
  if (file === ":memory:") return { take: async () => nothing, [Symbol.dispose]() {} };
  const turn = openLock(`${file}-turn`);
  const next = openLock(`${file}-next`);

  const wait = async (clock: Clock, isOurs: () => boolean, signal: AbortSignal | undefined) => {
    const startedAtMs = clock.monotonicMs();
    let hasTold = false;
    while (!isOurs()) {
      const waitedMs = clock.monotonicMs() - startedAtMs;
      if (waitedMs > waitMsMax) throw busy(file);
      if (waitedMs > patienceMs && !hasTold) {
        hasTold = true;
        log.warn("waiting for another process that is at the files of the records", { file });
      }
      // In small steps, so that the event loop goes on: others may need us to end their turn.
      await sleep(clock, waitedMs < patienceMs ? 1 : 20, signal);
    }
  };

  return {
    async take(clock, signal) {
      await wait(clock, next.tryTake, signal);
      try {
        await wait(clock, turn.tryTake, signal);
      } finally {
        next.release();
      }
      return { [Symbol.dispose]: () => turn.release() };
    },
    [Symbol.dispose]() {
      turn.close();
      next.close();
    },
  };
}

const nothing: Disposable = { [Symbol.dispose]() {} };

function openLock(file: string) {
  const db = guarded(file, () => new Database(file, { timeout: 0 }));
  // Nothing is ever written, not even a journal, and a rollback needs nobody's leave.
  db.pragma("journal_mode = memory");
  const begin = db.prepare("begin immediate");
  const end = db.prepare("rollback");
  return {
    tryTake: (): boolean => {
      try {
        begin.run();
        return true;
      } catch (error) {
        if (error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY")) {
          return false;
        }
        return guarded(file, () => {
          throw error;
        });
      }
    },
    release: () => void (db.open && db.inTransaction && end.run()),
    close: () => void db.close(),
  };
}

const busy = (file: string) =>
  new AppError(
    "unavailable",
    "records_busy",
    `another process has been at the files of the records beside ${file} for minutes: ` +
      `try again, and look for one that hangs`,
  );
