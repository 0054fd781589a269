import type { Database } from "better-sqlite3";
import { watch as watchFile, type FSWatcher } from "node:fs";
import type { Clock, Timer } from "../../../base/clock.ts";

/**
 * Looks after a file event, each this long after the one before: the log is written a moment
 * before its commit can be seen, and with full durability the disk lies in between.
 */
const recheckGapsMs = [0, 1, 4, 20, 100];
/** The net under a file system without events: at most one statement a second. */
const pollMs = 1_000;

/**
 * Notices commits of other processes: events on the write-ahead log say when to look, SQLite's
 * `data_version` says whether anything changed. Runs only while somebody listens. After every
 * event comes the whole row of looks, also when it came while an earlier one was being followed.
 */
export function createChangeWatch({ db, file, clock }: ChangeWatchOptions): ChangeWatch {
  const listeners = new Set<() => void>();
  const version = db.prepare("pragma data_version").pluck();
  let seen: unknown;
  let watcher: FSWatcher | undefined;
  let poll: Timer | undefined;
  let recheck: { readonly step: number; readonly timer: Timer } | undefined;
  let isEventPending = false;

  const notify = () => {
    for (const listener of listeners) listener();
  };
  const look = () => {
    const now = version.get();
    if (now === seen) return;
    seen = now;
    notify();
  };
  const recheckFrom = (step: number) => {
    const gapMs = recheckGapsMs[step];
    recheck = undefined;
    if (gapMs === undefined || listeners.size === 0) return;
    const fire = () => {
      const next = isEventPending ? 1 : step + 1;
      isEventPending = false;
      look();
      recheckFrom(next);
    };
    recheck = { step, timer: clock.setTimer(gapMs, fire, { background: true }) };
  };
  const onEvent = () => {
    // The next look is near enough; were it put off, a busy log would keep us from ever looking.
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
    recheck?.timer.cancel();
    recheck = undefined;
    isEventPending = false;
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
