import type { Clock, Timer } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { LoadedSettings } from "../load-settings.ts";
import { changedKeys, type SettingsMarker, type SettingsMarks } from "./settings-marks.ts";

export interface FollowSettingsOptions {
  readonly marks: SettingsMarks;
  readonly marker: SettingsMarker;
  readonly reload: () => Promise<LoadedSettings>;
  /** Throws if it cannot use the changed settings; then the last valid ones stay in use. */
  readonly apply: (changed: ChangedSettings) => void | Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface ChangedSettings {
  readonly loaded: LoadedSettings;
  readonly marks: SettingsMarks;
  readonly keys: readonly string[];
}

/**
 * Polling two small files is cheap. Unlike notifications, it also notices a file that was created
 * or moved into place, and works on every file system.
 */
const everyMs = 2_000;
/** Settings that are read only when the process starts. */
const fixedKeys = ["work.listen", "work.watchdogMs", "work.interruption", "work.metadataUrl"];

/**
 * Applies changed settings and secrets while the process runs, at once on SIGHUP. Wrong settings are
 * logged once and not applied.
 */
export function followSettings(options: FollowSettingsOptions): { readonly stop: () => void } {
  const { reload, apply, marker, clock, logger } = options;
  let seen = options.marks;
  let problem = "";
  let timer: Timer | undefined;
  let isStopped = false;
  let looking = Promise.resolve();

  async function look(isAsked: boolean): Promise<void> {
    try {
      const loaded = await reload();
      const marks = await marker.read(loaded, { isAsked });
      const keys = changedKeys(seen, marks);
      if (isStopped || keys.length === 0) return;
      await apply({ loaded, marks, keys });
      seen = marks;
      problem = "";
      logger.info("settings changed and were applied", { keys });
      const fixed = keys.filter((key) => fixedKeys.includes(key));
      if (fixed.length > 0) {
        logger.warn("these settings take effect only after a restart", { keys: fixed });
      }
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (text === problem) return;
      problem = text;
      logger.error("changed settings are invalid and were not applied", { error });
    }
  }
  /** Looks run one after the other, so that an older read never overwrites a newer one. */
  const lookNext = (isAsked: boolean) => (looking = looking.then(() => look(isAsked)));
  function repeat(): void {
    timer = clock.setTimer(everyMs, () => void lookNext(false).then(() => isStopped || repeat()), {
      background: true,
    });
  }
  const onHangUp = () => void lookNext(true);
  process.on("SIGHUP", onHangUp);
  repeat();
  return {
    stop() {
      isStopped = true;
      timer?.cancel();
      process.off("SIGHUP", onHangUp);
    },
  };
}
