import { AppError } from "../base/app-error.ts";

/** Handlers at work at once: always so many, or as the load has it between two bounds. */
export type Concurrency = number | { readonly min: number; readonly max: number };

export function boundsOf(concurrency: Concurrency) {
  const { min, max } =
    typeof concurrency === "number" ? { min: concurrency, max: concurrency } : concurrency;
  if (Number.isInteger(min) && Number.isInteger(max) && min >= 1 && max >= min && max <= 10_000) {
    return { min, max };
  }
  const message = `a concurrency of ${min} to ${max} makes no sense: give whole numbers from 1 to 10000`;
  throw new AppError("invalid", "bad_concurrency", message);
}
