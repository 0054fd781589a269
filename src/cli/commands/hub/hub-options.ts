import type { HubOptions } from "../../../ledger/index.ts";
import type { Flags, OptionSpec } from "../../command.ts";
import { parseDuration } from "../../duration.ts";
import { textFlag } from "../../flags.ts";

export const hubOptions: readonly OptionSpec[] = [
  {
    flag: "--grace",
    value: "time",
    summary: "how long a checkpoint stands before what it covers is deleted",
    default: "1h",
  },
  { flag: "--no-archive", summary: "delete folded segments instead of keeping them for history" },
];

export function hubFlags(flags: Flags): Pick<HubOptions, "graceMs" | "hasArchive"> {
  return {
    graceMs: parseDuration("grace", textFlag(flags, "grace") ?? "1h"),
    hasArchive: flags["archive"] !== false,
  };
}
