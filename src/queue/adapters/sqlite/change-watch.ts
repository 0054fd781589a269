import type { Database } from "better-sqlite3";
import { watch as watchFile, type FSWatcher } from "node:fs";
import type { Clock, Timer } from "../../../base/clock.ts";

/** Re-checks after a file event: the log is written a moment before its commit can be seen. */
const recheckDelaysMs = [0, 1, 5];
/** The net under a file system without events: at most one statement a second. */
const pollMs = 1_000;

/**
 * Notices commits of other processes: events on the write-ahead log say when to look, SQLite's
 * `data_version` says whether anything changed. Runs only while somebody listens.
 */
export function createChangeWatch({ db, file, clock }: ChangeWatchOptions): ChangeWatch {
  const listeners = new Set<() => void>();
  const version = db.prepare("pragma data_version").pluck();
  let seen: unknown;
  let watcher: FSWatcher | undefined;
  let poll: Timer | undefined;
  const rechecks = new Set<Timer>();

  const notify = () => {
    for (const listener of listeners) listener();
  };
  const look = () => {
    const now = version.get();
    if (now === seen) return;
    seen = now;
    cancelRechecks();
    notify();
  };
  const cancelRechecks = () => {
    for (const timer of rechecks) timer.cancel();
    rechecks.clear();
  };
  const onEvent = () => {
    if (rechecks.size > 0) return;
    for (const delayMs of recheckDelaysMs) {
      const timer = clock.setTimer(delayMs, () => {
        rechecks.delete(timer);
        look();
      });
      rechecks.add(timer);
    }
  };
  const repeat = () => {
    poll = clock.setTimer(
      pollMs,
      () => {
        look();
        repeat();
      },
      { background: true },
    );
  };

  function start(): void {
    seen = version.get();
    repeat();
    try {
      watcher = watchFile(`${file}-wal`, { persistent: false }, onEvent);
      // A file system that stops giving events leaves the poll.
      watcher.on("error", () => watcher?.close());
    } catch {
      watcher = undefined;
    }
  }
  function stop(): void {
    watcher?.close();
    poll?.cancel();
    cancelRechecks();
  }

  return {
    notify,
    watch(listener) {
      if (listeners.size === 0) start();
      listeners.add(listener);
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) stop();
      };
    },
    close() {
      if (listeners.size > 0) stop();
      listeners.clear();
    },
  };
}

export interface ChangeWatchOptions {
  readonly db: Database;
  readonly file: string;
  readonly clock: Clock;
}

export interface ChangeWatch {
  /** For commits of this process, which `data_version` does not show. */
  notify(): void;
  watch(listener: () => void): () => void;
  close(): void;
}
