import type { Bucket } from "../../../bucket/index.ts";
import type { ModelNow } from "../../model/shard.ts";
import type { StoreNow } from "../../queue-store.ts";

/** Beyond the end of a lease, where clocks are known only roughly. */
const graceMs = 5_000;
/**
 * Two front ends of one store differ by more than a second, and each node believes its own: who
 * gets a gate next must find it open by either.
 */
const frontEndsMs = 2_000;

/**
 * The store's clock is the bucket's, which is known as an interval: things are judged by its early
 * end and stamped with its late one. On a machine's own disk the two are the same. Tests bring a
 * clock of their own.
 */
export function createMoment(
  bucket: Bucket,
  now: (() => StoreNow) | undefined,
): (notBeforeMs: number) => Promise<ModelNow> {
  if (now) return async () => now();
  return async (notBeforeMs) => {
    const { earliestMs, latestMs } = await bucket.now();
    // What the last commit was judged by is past for whoever reads it.
    const ms = Math.max(earliestMs, notBeforeMs);
    const isRough = latestMs > earliestMs;
    const slackMs = Math.max(0, latestMs - ms) + (isRough ? frontEndsMs : 0);
    // What is due is no matter of safety: late by the width of the interval helps nobody.
    const wallMs = Math.max(ms, latestMs);
    return { ms, wallMs, slackMs, graceMs: isRough ? graceMs : 0 };
  };
}
