import type { Usage } from "./metered-bucket.ts";

/** What one part of the program asked of buckets on one day (UTC). */
export interface DayUsage extends Usage {
  /** `2026-02-11`. */
  readonly day: string;
  readonly caller: string;
  readonly operation: string;
}

/** Keeps usage by day, for all processes of a data folder. */
export interface UsageStore {
  /** Adds to what is stored, and drops days that are too old to be kept. */
  add(rows: readonly DayUsage[]): void;
  /** From this day on, in the order of day, caller and operation. */
  read(fromDay: string): readonly DayUsage[];
}

/** Older days are dropped. */
export const usageDaysMax = 400;
