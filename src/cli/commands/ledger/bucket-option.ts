import { isAbsolute } from "node:path";
import { systemClock } from "../../../base/clock.ts";
import { systemRandom } from "../../../base/random.ts";
import { createRetryingBucket, openLateBucket, type Bucket } from "../../../bucket/index.ts";
import type { OptionSpec, SettingsContext } from "../../command.ts";
import { textFlag } from "../../flags.ts";
import { usageError } from "../../usage-error.ts";
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

/** A relative folder is in the data folder, whatever folder a command is given in. */
async function addressInSettings({ settings, paths }: Where): Promise<string> {
  const { url, password } = settings.bucket;
  if (url === undefined) {
    throw usageError("which bucket? give --bucket ADDRESS, or set bucket.url once and for all");
  }
  const [, folder] = /^dir:(.+)$/s.exec(url) ?? [];
  if (folder !== undefined) return isAbsolute(folder) ? url : `dir:${paths.resolve(folder)}`;
  if (!password) return url;
  const address = new URL(url);
  address.password = encodeURIComponent(await password.reveal());
  return address.href;
}
