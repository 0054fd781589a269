import { fleetBucketAddress, missingFolder, openMeteredBucket } from "../../../app/index.ts";
import { AppError } from "../../../base/app-error.ts";
import { systemClock } from "../../../base/clock.ts";
import { systemRandom } from "../../../base/random.ts";
import { asUsage } from "../../../base/usage-error.ts";
import { createRetryingBucket, type Bucket } from "../../../bucket/index.ts";
import type { ArgumentSpec, BareContext, SettingsContext } from "../../frame/command.ts";

export const addressArgument: ArgumentSpec = {
  name: "bucket",
  summary: "s3://BUCKET/PREFIX, dir:PATH or postgres://HOST/DATABASE",
};

/** The bucket without retries: a probe must see every response of the store. */
export const openRawBucket = (address: string): Promise<Bucket> =>
  asUsage(async () => (await openMeteredBucket(address))("command"), ["bucket_address"]);

/** For `ls` and `usage`: without an address they use the bucket of `bucket.url`. */
export const optionalAddressArgument: ArgumentSpec = {
  ...addressArgument,
  summary: `${addressArgument.summary} (default: bucket.url)`,
  isOptional: true,
};

/** Inserts the address from `bucket.url` if the first argument is not an address. */
export async function withAddress(context: SettingsContext): Promise<SettingsContext> {
  const { args, settings, paths } = context;
  if (/^(?:s3|dir|postgres|postgresql):/.test(args[0] ?? "")) return context;
  return { ...context, args: [await fleetBucketAddress({ settings, paths }), ...args] };
}

/** For all other commands: requests without a response are retried. */
export async function openPatientBucket({ args, signal }: BareContext): Promise<Bucket> {
  const bucket = await openRawBucket(args[0] ?? "");
  return createRetryingBucket({ bucket, clock: systemClock, random: systemRandom, signal });
}

/** To read it: a folder that does not exist is refused, because opening it would make it. */
export async function openBucketToRead(context: BareContext): Promise<Bucket> {
  const missing = missingFolder(context.args[0]);
  if (missing !== undefined) throw new AppError("unavailable", "bucket_missing", missing);
  return openPatientBucket(context);
}

/**
 * An invalid key is a usage error because it was typed on the command line; other errors of the
 * store are not.
 */
export const keyAsUsage = <T>(work: () => Promise<T>): Promise<T> => asUsage(work, ["bucket_key"]);
