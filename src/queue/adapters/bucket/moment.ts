import type { Bucket } from "../../../bucket/index.ts";
import type { ModelNow } from "../../model/shard.ts";
import type { StoreNow } from "../../queue-store.ts";

/** Beyond the end of a lease, where clocks are known only roughly. */
const graceMs = 5_000;

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
    const slackMs = Math.max(0, latestMs - ms);
    // What is due is no matter of safety: late by the width of the interval helps nobody.
    const wallMs = Math.max(ms, latestMs);
    return { ms, wallMs, slackMs, graceMs: latestMs > earliestMs ? graceMs : 0 };
  };
}
