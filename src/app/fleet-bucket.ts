import { resolve } from "node:path";
import { systemClock } from "../base/clock.ts";
import { systemRandom } from "../base/random.ts";
import { asUsage, usageError } from "../base/usage-error.ts";
import { createRetryingBucket, openLateBucket, type Bucket } from "../bucket/index.ts";
import type { Paths, Settings } from "../config/index.ts";
import { locateBucket } from "./bucket-address.ts";
import { openBucket } from "./open-bucket.ts";

/** Which bucket a fleet shares. */
export interface FleetBucketOptions {
  readonly settings: Pick<Settings, "bucket">;
  readonly paths: Pick<Paths, "resolve">;
  /** Instead of the setting `bucket.url`. */
  readonly bucketAddress?: string | undefined;
}

const urlOf = ({ bucketAddress, settings }: FleetBucketOptions) =>
  bucketAddress ?? settings.bucket.url;

export const hasFleetBucket = (options: FleetBucketOptions): boolean =>
  urlOf(options) !== undefined;

/** Whether its requests cost money. */
export const isFleetBucketCharged = (options: FleetBucketOptions): boolean =>
  urlOf(options)?.startsWith("s3:") ?? false;

/**
 * With its password, if it has one: not for messages. The same in every process: the owner of the
 * data folder may have been started in another folder.
 */
export async function fleetBucketAddress(options: FleetBucketOptions): Promise<string> {
  const { settings, paths, bucketAddress } = options;
  const address =
    bucketAddress?.replace(/^dir:(.+)$/su, (_, folder: string) => `dir:${resolve(folder)}`) ??
    (await locateBucket(settings.bucket, paths));
  if (address !== undefined) return address;
  throw usageError("which bucket? give --bucket ADDRESS, or set bucket.url once and for all");
}

/** Without retries: for the hub, which repeats by itself what may be repeated. */
export async function openFleetBucket(options: FleetBucketOptions): Promise<Bucket> {
  const address = await fleetBucketAddress(options);
  return asUsage(() => openBucket(address), ["bucket_address"]);
}

/** Repeats a request that got no answer, also while the store cannot be reached at first. */
export async function openRetryingFleetBucket(
  options: FleetBucketOptions & { readonly signal: AbortSignal },
): Promise<Bucket> {
  const bucket = await openLateBucket(() => openFleetBucket(options));
  const { signal } = options;
  return createRetryingBucket({ bucket, clock: systemClock, random: systemRandom, signal });
}
