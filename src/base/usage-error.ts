import { AppError } from "./app-error.ts";

const usageCode = "usage";

/**
 * For a command line or a setting that is wrong: exit code 2. The message must say what to write
 * instead.
 */
export function usageError(message: string, options?: { cause?: unknown }): AppError {
  return new AppError("invalid", usageCode, message, options);
}

/**
 * For work whose input comes from the command line or the settings: turns an `invalid` error into a
 * usage error. `codes`: only errors with these codes.
 */
export async function asUsage<T>(work: () => Promise<T>, codes?: readonly string[]): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "invalid") throw error;
    if (codes ? !codes.includes(error.code) : isOfSystem(error)) throw error;
    throw usageError(error.message, { cause: error });
  }
}

/** True for errors that no other command line can prevent, such as missing rights on a folder. */
function isOfSystem(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return "syscall" in error || isOfSystem(error.cause);
}

export function isUsageError(error: unknown): boolean {
  return error instanceof AppError && error.kind === "invalid" && error.code === usageCode;
}
