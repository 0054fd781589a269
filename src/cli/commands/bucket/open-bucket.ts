import { openMeteredBucket } from "../../../app/index.ts";
import { systemClock } from "../../../base/clock.ts";
import { systemRandom } from "../../../base/random.ts";
import { asUsage } from "../../../base/usage-error.ts";
import { createRetryingBucket, type Bucket } from "../../../bucket/index.ts";
import type { ArgumentSpec, BareContext } from "../../command.ts";

export const addressArgument: ArgumentSpec = {
  name: "bucket",
  summary: "s3://BUCKET/PREFIX, dir:PATH or postgres://HOST/DATABASE",
};

/** As the store is: for a probe, which must see every answer. */
export const openRawBucket = (address: string): Promise<Bucket> =>
  asUsage(async () => (await openMeteredBucket(address))("command"), ["bucket_address"]);

/** For everything else: what got no answer is asked again. */
export async function openPatientBucket({ args, signal }: BareContext): Promise<Bucket> {
  const bucket = await openRawBucket(args[0] ?? "");
  return createRetryingBucket({ bucket, clock: systemClock, random: systemRandom, signal });
}

/** A key stood on the command line; what the store refuses for other reasons did not. */
export const keyAsUsage = <T>(work: () => Promise<T>): Promise<T> => asUsage(work, ["bucket_key"]);
