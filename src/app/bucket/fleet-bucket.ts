import { resolve } from "node:path";
import { AppError } from "../../base/app-error.ts";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { asUsage, usageError } from "../../base/usage-error.ts";
import { createRetryingBucket, type Bucket } from "../../bucket/index.ts";
import type { Paths, Settings } from "../../config/index.ts";
import { locateBucket } from "./bucket-address.ts";
import { missingFolder } from "./bucket-folder.ts";
import { oneForEach, openMeteredBucket, type BucketCaller, type BucketFor } from "./open-bucket.ts";

/** The bucket that a fleet shares. */
export interface FleetBucketOptions {
  readonly settings: Pick<Settings, "bucket">;
  readonly paths: Pick<Paths, "resolve">;
  /** Overrides the setting `bucket.url`. */
  readonly bucketAddress?: string | undefined;
}

const urlOf = ({ bucketAddress, settings }: FleetBucketOptions) =>
  bucketAddress ?? settings.bucket.url;

export const hasFleetBucket = (options: FleetBucketOptions): boolean =>
  urlOf(options) !== undefined;

/** True if its requests cost money. */
export const isFleetBucketCharged = (options: FleetBucketOptions): boolean =>
  urlOf(options)?.startsWith("s3:") ?? false;

/**
 * The address with its password, if it has one, so it must not appear in messages. It is the same
 * in every process: the owner of the data folder may have been started in another directory.
 */
export async function fleetBucketAddress(options: FleetBucketOptions): Promise<string> {
  const { settings, paths, bucketAddress } = options;
  const address =
    bucketAddress?.replace(/^dir:(.+)$/su, (_, folder: string) => `dir:${resolve(folder)}`) ??
    (await locateBucket(settings.bucket, paths));
  if (address !== undefined) return address;
  throw usageError("which bucket? give its address, such as s3://BUCKET/PREFIX, or set bucket.url");
}

/** The same, but refuses a folder that does not exist: a command that only looks would make it. */
export async function existingBucketAddress(options: FleetBucketOptions): Promise<string> {
  const address = await fleetBucketAddress(options);
  const missing = missingFolder(address);
  if (missing !== undefined) throw new AppError("unavailable", "bucket_missing", missing);
  return address;
}

/**
 * Without retries: the hub itself decides what may be repeated. An address of the
 * command line may name a new folder, which is made.
 */
export async function openFleetBucket(
  options: FleetBucketOptions,
  caller: BucketCaller,
): Promise<Bucket> {
  if (options.bucketAddress === undefined) await existingBucketAddress(options);
  return (await open(options, { isLate: false }))(caller);
}

interface RetryingOptions extends FleetBucketOptions {
  readonly signal: AbortSignal;
}

/** Retries a request that got no response, even if the store cannot be reached at first. */
export async function openRetryingFleetBucket(options: RetryingOptions): Promise<Bucket> {
  await existingBucketAddress(options);
  return (await openFleetBucketFor(options))("command");
}

/** The same for several parts of a node, which share one connection. Makes a folder that does not exist. */
export async function openFleetBucketFor(options: RetryingOptions): Promise<BucketFor> {
  const bucketFor = await open(options, { isLate: true });
  const more = { clock: systemClock, random: systemRandom, signal: options.signal };
  return oneForEach((caller) => createRetryingBucket({ bucket: bucketFor(caller), ...more }));
}

async function open(
  options: FleetBucketOptions,
  how: { readonly isLate: boolean },
): Promise<BucketFor> {
  const address = await fleetBucketAddress(options);
  return asUsage(() => openMeteredBucket(address, how), ["bucket_address"]);
}
