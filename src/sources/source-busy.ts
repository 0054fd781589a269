import { AppError } from "../base/app-error.ts";
import { SlowDownError } from "../worker/index.ts";

/** The error of a source that asks to be queried later. `busyForMs` reads the time back. */
export const sourceBusy = (code: string, message: string, retryAfterMs: number): AppError =>
  new AppError("unavailable", code, message, {
    cause: new SlowDownError("asked to wait", { retryAfterMs }),
  });

/** How long a source asked us to wait; undefined: the error does not say. */
export function busyForMs(error: unknown): number | undefined {
  const isBusy = error instanceof AppError && error.cause instanceof SlowDownError;
  return isBusy ? (error.cause as SlowDownError).retryAfterMs : undefined;
}
