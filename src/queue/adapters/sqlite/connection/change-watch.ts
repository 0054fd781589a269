import Database from "better-sqlite3";
import { watch as watchPath } from "node:fs";
import type { Clock, Timer } from "../../../../base/clock.ts";

/**
 * When to look after a file event, each after the previous look: the log is written a moment before
 * its commit becomes visible, and with full durability a disk sync is in between.
 */
const recheckGapsMs = [0, 1, 4, 20, 100];
/**
 * Polling interval that covers file systems without events; costs well under one statement a
 * second.
 */
export const pollMs = 2_000;

/**
 * Notices commits of other processes: events on the write-ahead log say when to look, and SQLite's
 * `data_version` says whether anything changed. It runs only while there are listeners. Every event
 * starts the whole series of looks, even if an earlier series is still running.
 */
export function createChangeWatch({
  db,
  file,
  clock,
  watchFile = (path, onEvent) => watchPath(path, { persistent: false }, onEvent),
}: SqliteChangeWatchOptions): SqliteChangeWatch {
  const listeners = new Set<() => void>();
  const version = db.prepare("pragma data_version").pluck();
  let seen: unknown;
  let watcher: FileWatcher | undefined;
  let poll: Timer | undefined;
  let recheck: { readonly step: number; readonly timer: Timer } | undefined;
  let isEventPending = false;

  const notify = () => {
    for (const listener of listeners) listener();
  };
  const look = () => {
    const now = readVersion();
    if (now !== undefined && now === seen) return;
    seen = now;
    notify();
  };
  /** A file that cannot be read counts as changed: the listeners read it and get the error. */
  const readVersion = () => {
    try {
      return version.get();
    } catch (error) {
      if (!(error instanceof Database.SqliteError)) throw error;
      return undefined;
    }
  };
  const recheckFrom = (step: number) => {
    const gapMs = recheckGapsMs[step];
    recheck = undefined;
    if (gapMs === undefined) return;
    const fire = () => {
      const next = isEventPending ? 1 : step + 1;
      isEventPending = false;
      recheckFrom(next); // before the listeners are called, because they may end the watch
      look();
    };
    recheck = { step, timer: clock.setTimer(gapMs, fire, { background: true }) };
  };
  const onEvent = () => {
    // The next look is soon enough. If every event postponed it, a busy log would prevent all
    // looks.
    if (recheck && recheck.step <= 1) {
      isEventPending = true;
      return;
    }
    recheck?.timer.cancel();
    recheckFrom(0);
  };
  const repeat = () => {
    poll = clock.setTimer(
      pollMs,
      () => {
        repeat();
        look();
      },
      { background: true },
    );
  };

  function start(): void {
    seen = readVersion();
    repeat();
    try {
      watcher = watchFile(`${file}-wal`, onEvent);
      // If the file system stops sending events, the poll remains.
      watcher.on("error", () => watcher?.close());
    } catch {
      watcher = undefined;
    }
  }
  function stop(): void {
    watcher?.close();
    poll?.cancel();
    recheck?.timer.cancel();
    recheck = undefined;
    isEventPending = false;
  }

  return {
    notify,
    watch(listener) {
      if (listeners.size === 0) start();
      const own = () => listener(); // a listener may be added twice
      listeners.add(own);
      return () => {
        if (listeners.delete(own) && listeners.size === 0) stop();
      };
    },
    close() {
      if (listeners.size > 0) stop();
      listeners.clear();
    },
  };
}

export interface SqliteChangeWatchOptions {
  readonly db: Database.Database;
  readonly file: string;
  readonly clock: Clock;
  /** Throws if the file system has no events. */
  readonly watchFile?: (path: string, onEvent: () => void) => FileWatcher;
}

export interface FileWatcher {
  on(event: "error", listener: () => void): unknown;
  close(): void;
}

export interface SqliteChangeWatch {
  /** Call after a commit of this process, because `data_version` does not show these. */
  notify(): void;
  watch(listener: () => void): () => void;
  close(): void;
}
