import { AppError } from "../../base/app-error.ts";

export const isAborted = (error: unknown): boolean =>
  error instanceof AppError && error.kind === "aborted";
