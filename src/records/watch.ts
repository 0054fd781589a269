import { watch as watchFolder, type FSWatcher } from "node:fs";
import { AppError } from "../base/app-error.ts";
import type { Timer } from "../base/clock.ts";
import { makeFolder } from "../base/make-folder.ts";
import type { Desk } from "./desk.ts";
import { followLedger } from "./follow.ts";
import { ingestFolders } from "./ingest-all.ts";
import { layouts } from "./layout.ts";
import type { Watching, WatchOptions } from "./records.ts";

export const quietMsDefault = 500;
/** Of these moments of quiet it waits for one, and no longer. */
const quietsMax = 4;
export const checkMsDefault = 5 * 60_000;

/**
 * Follows the files. The system's events only make it quicker: all folders are looked at every
 * `checkMs` anyway, so that an event that never came, or a system that has none, loses nothing.
 */
export function watchFiles(desk: Desk, options: WatchOptions = {}): Watching {
  const { quietMs = quietMsDefault, checkMs = checkMsDefault, onIngested = () => {} } = options;
  const { followMs } = options;
  const { clock, log, disk } = desk;
  const touched = new Set<string>();
  let touchedAtMs = 0;
  let quiet: Timer | undefined;
  let check: Timer | undefined;
  let work: Promise<void> = Promise.resolve();
  let isStopped = false;

  const look = (only: readonly string[] | undefined) => {
    work = work.then(async () => {
      if (isStopped) return;
      try {
        onIngested(await desk.inTurn(() => ingestFolders(desk, only ? { only } : {})));
      } catch (error) {
        if (error instanceof AppError && error.kind === "aborted") return;
        // This loop owns the work: it says what is wrong, and looks again at the next check.
        log.error("hand edits could not be taken in", { error });
      }
    });
    return work;
  };
  const lookAtTouched = () => {
    const only = [...touched];
    touched.clear();
    void look(only);
  };
  const onEvent = (folder: string, file: string | null) => {
    // Without a name: anything may have happened.
    if (file === null) return void look(undefined);
    // Where others write all the time there is no quiet moment: then the first event counts.
    const nowMs = clock.monotonicMs();
    if (touched.size === 0) touchedAtMs = nowMs;
    touched.add(`${folder}/${file.replaceAll("\\", "/")}`);
    quiet?.cancel();
    const leftMs = touchedAtMs + quietMs * quietsMax - nowMs;
    quiet = clock.setTimer(Math.max(0, Math.min(quietMs, leftMs)), lookAtTouched);
  };
  const watchers = layouts.flatMap(({ folder }): FSWatcher[] => {
    try {
      // The first person is to be noticed as soon as the hundredth.
      makeFolder(disk.path(folder));
      const watcher = watchFolder(disk.path(folder), { recursive: true, persistent: false });
      watcher.on("change", (_, file) => onEvent(folder, file === null ? null : String(file)));
      watcher.on("error", (error) => log.warn("file events have ended", { folder, error }));
      return [watcher];
    } catch (error) {
      // More folders than the system watches, or it watches none.
      log.warn("no file events here: files are looked at now and then", { folder, error });
      return [];
    }
  });
  const checkAgain = () => {
    check = clock.setTimer(
      checkMs,
      () => void look(undefined).then(() => isStopped || checkAgain()),
    );
  };
  void look(undefined);
  checkAgain();
  const following = followLedger(desk, followMs === undefined ? {} : { everyMs: followMs });

  return {
    async stop() {
      isStopped = true;
      quiet?.cancel();
      check?.cancel();
      for (const watcher of watchers) watcher.close();
      await following.stop();
      await work;
    },
  };
}
