import type { Clock, Timer } from "../../../base/clock.ts";
import type { Logger } from "../../../base/logger.ts";
import type { LoadedSettings } from "../../../config/index.ts";

export interface FollowSettingsOptions {
  readonly loaded: LoadedSettings;
  readonly reload: () => Promise<LoadedSettings>;
  /** May throw when what is written makes no sense: the last good settings then stay. */
  readonly apply: (loaded: LoadedSettings) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Reading two small files again is cheap, and sees also a file that was not there, was moved into
 * place, or lies where no notification comes from.
 */
const everyMs = 2_000;

/** Follows changed settings files, at once on SIGHUP. Wrong ones are told once and not followed. */
export function followSettings(options: FollowSettingsOptions): { readonly stop: () => void } {
  const { reload, apply, clock, logger } = options;
  let seen = textOf(options.loaded);
  let problem = "";
  let timer: Timer | undefined;
  let isStopped = false;

  async function look(): Promise<void> {
    try {
      const loaded = await reload();
      if (isStopped || textOf(loaded) === seen) return;
      apply(loaded);
      seen = textOf(loaded);
      problem = "";
      logger.info("settings changed and are followed");
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (text === problem) return;
      problem = text;
      logger.error("changed settings are wrong and not followed", { error });
    }
  }
  function repeat(): void {
    timer = clock.setTimer(everyMs, () => void look().then(() => isStopped || repeat()), {
      background: true,
    });
  }
  const onHangUp = () => void look();
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

/** A secret shows as stars, so a changed one is not seen: SIGHUP does not help with that either. */
const textOf = ({ values }: LoadedSettings) =>
  JSON.stringify(values.map(({ key, display }) => [key, display]));
