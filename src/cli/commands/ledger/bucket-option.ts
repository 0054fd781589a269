import { locateBucket } from "../../../app/index.ts";
import { systemClock } from "../../../base/clock.ts";
import { systemRandom } from "../../../base/random.ts";
import { usageError } from "../../../base/usage-error.ts";
import { createRetryingBucket, openLateBucket, type Bucket } from "../../../bucket/index.ts";
import type { OptionSpec, SettingsContext } from "../../command.ts";
import { textFlag } from "../../flags.ts";
import { openRawBucket } from "../bucket/open-bucket.ts";

export const bucketOption: OptionSpec = {
  flag: "--bucket",
  value: "address",
  summary: "s3://BUCKET/PREFIX, dir:PATH or postgres://HOST/DATABASE; else what bucket.url says",
};

type Where = Pick<SettingsContext, "flags" | "settings" | "paths">;

/** As it is: for the hub, which repeats by itself what may be repeated. */
export const openFleetBucket = async (where: Where): Promise<Bucket> =>
  openRawBucket(textFlag(where.flags, "bucket") ?? (await addressInSettings(where)));

/** What got no answer is asked again, and a store that is away may come back. */
export async function openPatientFleetBucket(context: SettingsContext): Promise<Bucket> {
  const bucket = await openLateBucket(() => openFleetBucket(context));
  const { signal } = context;
  return createRetryingBucket({ bucket, clock: systemClock, random: systemRandom, signal });
}

async function addressInSettings({ settings, paths }: Where): Promise<string> {
  const address = await locateBucket(settings.bucket, paths);
  if (address !== undefined) return address;
  throw usageError("which bucket? give --bucket ADDRESS, or set bucket.url once and for all");
}
