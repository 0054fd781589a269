import type { Usage } from "./metered-bucket.ts";

/** The requests that one part of the program sent to buckets on one day (UTC). */
export interface DayUsage extends Usage {
  /** `2026-02-11`. */
  readonly day: string;
  readonly caller: string;
  readonly operation: string;
}

/** Stores usage by day, for all processes of a data folder. */
export interface UsageStore {
  /** Adds to the stored usage, and deletes days older than `usageDaysMax`. */
  add(rows: readonly DayUsage[]): void;
  /** All rows from this day on, ordered by day, caller and operation. */
  read(fromDay: string): readonly DayUsage[];
}

/** Older days are deleted. */
export const usageDaysMax = 400;
