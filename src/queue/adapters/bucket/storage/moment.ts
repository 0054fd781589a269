import type { Bucket } from "../../../../bucket/index.ts";
import { exactNow, truncationMs, type ModelNow } from "../../../model/now.ts";
import type { StoreNow } from "../../../queue-store.ts";

/** Waits this long after the end of a lease if clocks are known only roughly. */
const graceMs = 5_000;
/**
 * Two front ends of one store may differ by more than a second, and each node trusts its own. The
 * next worker must see an open gate on either clock.
 */
const frontEndsMs = 2_000;

/**
 * The store's clock is the bucket's clock, an interval of whole milliseconds. For a folder on a
 * local disk both ends are equal, the clock of the machine rounded down. Tests use their own clock.
 */
export function createMoment(
  bucket: Bucket,
  now: (() => StoreNow) | undefined,
): (notBeforeMs: number) => Promise<ModelNow> {
  if (now) return async () => exactNow(now());
  return async (notBeforeMs) => {
    const { earliestMs, latestMs } = await bucket.now();
    // The time never goes back behind the last commit.
    const ms = Math.max(earliestMs, notBeforeMs);
    const isRough = latestMs > earliestMs;
    // A task must not become due late because the interval is wide; that would not protect any
    // host.
    const wallMs = Math.max(ms, latestMs);
    return {
      ms,
      lateMs: wallMs + (isRough ? frontEndsMs : truncationMs),
      wallMs,
      wallLateMs: wallMs + truncationMs,
      graceMs: isRough ? graceMs : 0,
    };
  };
}
