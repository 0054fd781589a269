import { AppError } from "./app-error.ts";

const usageCode = "usage";

/** For a command line or a setting that cannot be followed: exit code 2. Say what to write instead. */
export function usageError(message: string, options?: { cause?: unknown }): AppError {
  return new AppError("invalid", usageCode, message, options);
}

/**
 * For work whose input stands on the command line or in the settings: what is found invalid in it is
 * wrong usage. `codes`: only errors with these codes are.
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

/** A folder that may not be written, for instance: whatever one writes on the command line. */
function isOfSystem(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return "syscall" in error || isOfSystem(error.cause);
}

export function isUsageError(error: unknown): boolean {
  return error instanceof AppError && error.kind === "invalid" && error.code === usageCode;
}
