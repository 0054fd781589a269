import { AppError } from "../base/app-error.ts";

const usageCode = "usage";

/** For a command line that cannot be run as it stands: exit code 2. Say what to write instead. */
export function usageError(message: string, options?: { cause?: unknown }): AppError {
  return new AppError("invalid", usageCode, message, options);
}

/** For work whose input stood on the command line: what is found invalid in it is wrong usage. */
export async function asUsage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "invalid" || isOfSystem(error)) throw error;
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
