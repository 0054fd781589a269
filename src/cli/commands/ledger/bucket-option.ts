import { systemClock } from "../../../base/clock.ts";
import { systemRandom } from "../../../base/random.ts";
import { createRetryingBucket, type Bucket } from "../../../bucket/index.ts";
import type { BareContext, OptionSpec } from "../../command.ts";
import { textFlag } from "../../flags.ts";
import { usageError } from "../../usage-error.ts";
import { openRawBucket } from "../bucket/open-bucket.ts";

export const bucketOption: OptionSpec = {
  flag: "--bucket",
  value: "address",
  summary: "the fleet's bucket: s3://BUCKET/PREFIX, dir:PATH or postgres://HOST/DATABASE",
};

/** As it is: for the hub, which repeats by itself what may be repeated. */
export async function openFleetBucket({ flags }: Pick<BareContext, "flags">): Promise<Bucket> {
  const address = textFlag(flags, "bucket");
  if (address === undefined) throw usageError("which bucket? give --bucket ADDRESS");
  return openRawBucket(address);
}

/** What got no answer is asked again. */
export async function openPatientFleetBucket(context: BareContext): Promise<Bucket> {
  const bucket = await openFleetBucket(context);
  const { signal } = context;
  return createRetryingBucket({ bucket, clock: systemClock, random: systemRandom, signal });
}
