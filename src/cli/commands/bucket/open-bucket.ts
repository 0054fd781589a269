import { fleetBucketAddress, openMeteredBucket } from "../../../app/index.ts";
import { systemClock } from "../../../base/clock.ts";
import { systemRandom } from "../../../base/random.ts";
import { asUsage } from "../../../base/usage-error.ts";
import { createRetryingBucket, type Bucket } from "../../../bucket/index.ts";
import type { ArgumentSpec, BareContext, SettingsContext } from "../../frame/command.ts";

export const addressArgument: ArgumentSpec = {
  name: "bucket",
  summary: "s3://BUCKET/PREFIX, dir:PATH or postgres://HOST/DATABASE",
};

/** As the store is: for a probe, which must see every answer. */
export const openRawBucket = (address: string): Promise<Bucket> =>
  asUsage(async () => (await openMeteredBucket(address))("command"), ["bucket_address"]);

/** For `ls` and `usage`: without an address, it is the bucket of `bucket.url`. */
export const optionalAddressArgument: ArgumentSpec = {
  ...addressArgument,
  summary: `${addressArgument.summary} (default: bucket.url)`,
  isOptional: true,
};

/** Arguments as if an address was given: a first one that is no address is the next argument. */
export async function withAddress(context: SettingsContext): Promise<SettingsContext> {
  const { args, settings, paths } = context;
  if (/^(?:s3|dir|postgres|postgresql):/.test(args[0] ?? "")) return context;
  return { ...context, args: [await fleetBucketAddress({ settings, paths }), ...args] };
}

/** For everything else: what got no answer is asked again. */
export async function openPatientBucket({ args, signal }: BareContext): Promise<Bucket> {
  const bucket = await openRawBucket(args[0] ?? "");
  return createRetryingBucket({ bucket, clock: systemClock, random: systemRandom, signal });
}

/** A key stood on the command line; what the store refuses for other reasons did not. */
export const keyAsUsage = <T>(work: () => Promise<T>): Promise<T> => asUsage(work, ["bucket_key"]);
