import { dirname } from "node:path";
import { AppError } from "../../base/app-error.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import type { ConfigLock } from "../../campaign/index.ts";
import type { Paths } from "../../config/index.ts";

const waitMsMax = 30_000;
const waitMs = 20;

/**
 * Allows one process at a time to change the configurations of a data folder. Environments share
 * the configurations of the enclosing folder, so they share the lock too.
 */
export function createConfigLock(options: {
  readonly paths: Pick<Paths, "base">;
  readonly clock: Clock;
}): ConfigLock {
  const { paths, clock } = options;
  return async (step) => {
    const { tryLockFile } = await import("../../node/adapters/folder/folder-lock.ts");
    const file = paths.base().resolve("node/configs.db");
    makeFolder(dirname(file), { mode: 0o700 });
    const giveUpMs = clock.monotonicMs() + waitMsMax;
    for (;;) {
      const lock = tryLockFile(file);
      if (lock) {
        using _held = lock;
        return await step();
      }
      if (clock.monotonicMs() > giveUpMs) throw stillLocked(file);
      await sleep(clock, waitMs);
    }
  };
}

const stillLocked = (file: string) =>
  new AppError(
    "unavailable",
    "campaign_config_locked",
    `another process has been changing configurations of campaigns for ${waitMsMax / 1_000} s (${file} is ` +
      "locked): check if a forager process hangs; nothing was changed",
  );
