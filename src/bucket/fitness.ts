import { markOf } from "../base/text/formats.ts";
import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import type { Bucket } from "./bucket.ts";
import { requireFitBucket } from "./probe.ts";

export interface FitnessOptions {
  readonly bucket: Bucket;
  readonly clock: Clock;
  readonly random: Random;
  /** "daily": a successful probe by any node within the last day is enough. */
  readonly probe: "always" | "daily";
}

const key = "probe/fit.json";
const dayMs = 86_400_000;
/**
 * A larger difference means that the object was copied here from another store, so it proves
 * nothing.
 */
const writtenWithinMs = 60_000;

/**
 * Throws if the store does not honour conditions. A probe takes about 160 requests and more than a
 * second, so with "daily", for short commands, a proof is valid for a day.
 */
export async function requireFitness(options: FitnessOptions): Promise<void> {
  const { bucket, probe } = options;
  if (probe === "daily" && (await isProven(bucket))) return;
  await requireFitBucket(options);
  const { latestMs } = await bucket.now();
  await bucket.put(key, Buffer.from(`${JSON.stringify({ ...markOf(1), fitAtMs: latestMs })}\n`));
}

async function isProven(bucket: Bucket): Promise<boolean> {
  const got = await bucket.get(key);
  if (got.status !== "found") return false;
  try {
    const { fitAtMs } = JSON.parse(Buffer.from(got.body).toString()) as { fitAtMs?: unknown };
    if (typeof fitAtMs !== "number") return false;
    const isOriginal = Math.abs(got.modifiedAtMs - fitAtMs) < writtenWithinMs;
    return isOriginal && got.seenAtMs - fitAtMs < dayMs;
  } catch {
    return false; // not ours, or damaged: probe again
  }
}
