import { watch as watchFolder, type FSWatcher } from "node:fs";
import { AppError } from "../../base/app-error.ts";
import type { Timer } from "../../base/clock.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import type { RecordsContext } from "../context.ts";
import { followLedger } from "../follow/follow.ts";
import { ingestFolders } from "./ingest.ts";
import { layouts } from "../files/layout.ts";
import type { Watching, WatchOptions } from "../records.ts";

export const quietMsDefault = 500;
/** Files that change all the time are read after this many times `quietMs`. */
const quietsMax = 4;
export const checkMsDefault = 5 * 60_000;

/**
 * Ingests files when they change. File events only make this faster: all folders are read every
 * `checkMs` anyway, so nothing is lost if an event is missing or the system has none. Stopping ends
 * a running ingest.
 */
export function watchFiles(context: RecordsContext, options: WatchOptions = {}): Watching {
  const { quietMs = quietMsDefault, checkMs = checkMsDefault, onIngested = () => {} } = options;
  const { followMs } = options;
  const { clock, log, disk } = context;
  const touched = new Set<string>();
  let touchedAtMs = 0;
  let quiet: Timer | undefined;
  let check: Timer | undefined;
  let work: Promise<void> = Promise.resolve();
  const stopping = new AbortController();
  const { signal } = stopping;

  const look = (only: readonly string[] | undefined) => {
    work = work.then(async () => {
      if (signal.aborted) return;
      try {
        const request = { signal, ...(only && { only }) };
        onIngested(await context.run(() => ingestFolders(context, request), request));
      } catch (error) {
        if (error instanceof AppError && error.kind === "aborted") return;
        // Nothing else handles errors of this loop: it logs them, and tries again at the next
        // check.
        log.error("manual edits could not be imported", { error });
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
    // Without a name, any file may have changed.
    if (file === null) return void look(undefined);
    // If files change all the time there is no quiet period: then the time counts from the first
    // event.
    const nowMs = clock.monotonicMs();
    if (touched.size === 0) touchedAtMs = nowMs;
    touched.add(`${folder}/${file.replaceAll("\\", "/")}`);
    quiet?.cancel();
    const leftMs = touchedAtMs + quietMs * quietsMax - nowMs;
    quiet = clock.setTimer(Math.max(0, Math.min(quietMs, leftMs)), lookAtTouched);
  };
  const watchers = layouts.flatMap(({ folder }): FSWatcher[] => {
    try {
      // Create the folder, so that the first record is noticed as fast as the hundredth.
      makeFolder(disk.path(folder));
      const watcher = watchFolder(disk.path(folder), { recursive: true, persistent: false });
      watcher.on("change", (_, file) => onEvent(folder, file === null ? null : String(file)));
      watcher.on("error", (error) => log.warn("file events stopped", { folder, error }));
      return [watcher];
    } catch (error) {
      // There are more folders than the system can watch, or it has no file events.
      log.warn("file events are not available: files are checked periodically", { folder, error });
      return [];
    }
  });
  const checkAgain = () => {
    check = clock.setTimer(
      checkMs,
      () => void look(undefined).then(() => signal.aborted || checkAgain()),
    );
  };
  void look(undefined);
  checkAgain();
  const following = followLedger(context, followMs === undefined ? {} : { everyMs: followMs });

  return {
    async stop() {
      stopping.abort();
      quiet?.cancel();
      check?.cancel();
      for (const watcher of watchers) watcher.close();
      await following.stop();
      await work;
    },
  };
}
