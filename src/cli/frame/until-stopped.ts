import { AppError } from "../../base/app-error.ts";
import { sleep, type Clock } from "../../base/clock.ts";

/** Resolves when the command is asked to stop. */
export const untilStopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** Waits `ms`. Returns false if the command is asked to stop meanwhile. */
export const goesOnAfter = (clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> =>
  sleep(clock, ms, signal).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.kind === "aborted") return false;
      throw error;
    },
  );
