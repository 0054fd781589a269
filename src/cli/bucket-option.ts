import type { FleetBucketOptions } from "../app/index.ts";
import type { OptionSpec, SettingsContext } from "./command.ts";
import { textFlag } from "./flags.ts";

export const bucketOption: OptionSpec = {
  flag: "--bucket",
  value: "address",
  summary: "s3://BUCKET/PREFIX, dir:PATH or postgres://HOST/DATABASE; else what bucket.url says",
};

/** The bucket that --bucket or the settings name. */
export const fleetBucketOf = ({
  flags,
  settings,
  paths,
  signal,
}: Pick<SettingsContext, "flags" | "settings" | "paths" | "signal">): FleetBucketOptions & {
  readonly signal: AbortSignal;
} => ({ settings, paths, signal, bucketAddress: textFlag(flags, "bucket") });
