import { AppError } from "../base/app-error.ts";

const outcomeUnknown = "bucket_outcome_unknown";

/** For a write without an answer: it may have happened, or may still happen. */
export function unknownOutcome(key: string, why: string, cause?: unknown): AppError {
  const message = `whether ${key} was written is not known (${why}): read it, then decide`;
  return new AppError("unavailable", outcomeUnknown, message, { cause });
}

/** For a read without an answer. */
export function unanswered(what: string, why: string, cause?: unknown): AppError {
  const message = `the bucket did not answer ${what} (${why}): try again`;
  return new AppError("unavailable", "bucket_unavailable", message, { cause });
}

/** Whether the call that threw this error may have changed the bucket. */
export const mayHaveHappened = (error: unknown): boolean =>
  error instanceof AppError && error.code === outcomeUnknown;

export const isUnavailable = (error: unknown): boolean =>
  error instanceof AppError && error.kind === "unavailable";

const unsent = new WeakSet<Error>();

/**
 * Marks the error of a call that failed before it sent a request, so that a meter does not count
 * it.
 */
export function asUnsent<T>(error: T): T {
  if (error instanceof Error) unsent.add(error);
  return error;
}

export const isUnsent = (error: unknown): boolean => error instanceof Error && unsent.has(error);
