import type { OptionSpec, SettingsContext } from "../frame/command.ts";
import { textFlag } from "./flags.ts";

export const bucketOption: OptionSpec = {
  flag: "--bucket",
  value: "address",
  summary: "s3://BUCKET/PREFIX, dir:PATH or postgres://HOST/DATABASE (default: bucket.url)",
};

type Context = Pick<SettingsContext, "flags" | "settings" | "paths" | "clock" | "log" | "signal">;

/** The options with which app opens the fleet, from --bucket and the settings. */
export const fleetOf = ({ flags, settings, paths, clock, log, signal }: Context) => ({
  settings,
  paths,
  clock,
  log,
  signal,
  bucketAddress: textFlag(flags, "bucket"),
});
