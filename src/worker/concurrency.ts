import { AppError } from "../base/app-error.ts";

/** How many handlers run at once: a fixed number, or between two bounds depending on the load. */
export type Concurrency = number | { readonly min: number; readonly max: number };

export function boundsOf(concurrency: Concurrency) {
  const { min, max } =
    typeof concurrency === "number" ? { min: concurrency, max: concurrency } : concurrency;
  if (Number.isInteger(min) && Number.isInteger(max) && min >= 1 && max >= min && max <= 10_000) {
    return { min, max };
  }
  const message = `a concurrency of ${min} to ${max} is not valid: give whole numbers from 1 to 10000`;
  throw new AppError("invalid", "bad_concurrency", message);
}
