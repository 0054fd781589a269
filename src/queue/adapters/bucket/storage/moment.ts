import type { Bucket } from "../../../../bucket/index.ts";
import { exactNow, truncationMs, type ModelNow } from "../../../model/now.ts";
import type { StoreNow } from "../../../queue-store.ts";

/** Beyond the end of a lease, where clocks are known only roughly. */
const graceMs = 5_000;
/**
 * Two front ends of one store differ by more than a second, and each node believes its own: who
 * gets a gate next must find it open by either.
 */
const frontEndsMs = 2_000;

/**
 * The store's clock is the bucket's, which is known as an interval of whole milliseconds. On a
 * machine's own disk both ends are the same: the clock of that machine without its fractions. Tests
 * bring a clock of their own.
 */
export function createMoment(
  bucket: Bucket,
  now: (() => StoreNow) | undefined,
): (notBeforeMs: number) => Promise<ModelNow> {
  if (now) return async () => exactNow(now());
  return async (notBeforeMs) => {
    const { earliestMs, latestMs } = await bucket.now();
    // What the last commit was judged by is past for whoever reads it.
    const ms = Math.max(earliestMs, notBeforeMs);
    const isRough = latestMs > earliestMs;
    // The width of a rough interval delays no task that is due: that is no matter of politeness.
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
