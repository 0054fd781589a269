import type { StoreNow } from "../queue-store.ts";

/**
 * The moment of a commit in whole milliseconds, rounded both ways. No wait may end early, not even
 * by a fraction of a millisecond, so:
 * - `ms` and `wallMs` are rounded down; they decide whether a wait is over;
 * - `lateMs` and `wallLateMs` are rounded up; a wait that begins now is counted from there.
 *
 * A store whose clock is known only as an interval puts its two ends here. Every store makes its
 * moments with `exactNow` or `truncatedNow`, or from such an interval.
 */
export interface ModelNow extends StoreNow {
  readonly lateMs: number;
  readonly wallLateMs: number;
  /** How long the sweep waits after the end of a lease. */
  readonly graceMs?: number;
}

/** From a reading that has all its fractions, such as the virtual time of a test. */
export const exactNow = ({ ms, wallMs }: StoreNow): ModelNow => ({
  ms: Math.floor(ms),
  lateMs: Math.ceil(ms),
  wallMs: Math.floor(wallMs),
  wallLateMs: Math.ceil(wallMs),
});

/** A clock of whole milliseconds drops fractions: the true moment may be this much later. */
export const truncationMs = 1;

/** From a clock of whole milliseconds, such as `Date.now()`. */
export const truncatedNow = ({ ms, wallMs }: StoreNow): ModelNow => ({
  ms,
  lateMs: ms + truncationMs,
  wallMs,
  wallLateMs: wallMs + truncationMs,
});

/** What a reader of the store sees of a moment. */
export const storeNow = ({ ms, wallMs }: ModelNow): StoreNow => ({ ms, wallMs });

/** When the sweep may take back a lease that begins now. */
export const expiryMs = ({ lateMs, graceMs = 0 }: ModelNow, leaseMs: number): number =>
  lateMs + leaseMs + graceMs;

/** When a task is due that waits `delayMs` from now. Without a delay it is due at once. */
export const dueAfterMs = ({ wallMs, wallLateMs }: ModelNow, delayMs: number): number =>
  delayMs === 0 ? wallMs : wallLateMs + delayMs;
