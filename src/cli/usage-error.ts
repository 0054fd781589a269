import { AppError } from "../base/app-error.ts";

const usageCode = "usage";

/** For a command line that cannot be run as it stands: exit code 2. Say what to write instead. */
export function usageError(message: string, options?: { cause?: unknown }): AppError {
  return new AppError("invalid", usageCode, message, options);
}

export function isUsageError(error: unknown): boolean {
  return error instanceof AppError && error.kind === "invalid" && error.code === usageCode;
}
