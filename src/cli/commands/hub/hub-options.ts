import { hubPartsIn } from "../../../app/index.ts";
import type { HubOptions } from "../../../ledger/index.ts";
import type { OptionSpec, SettingsContext } from "../../frame/command.ts";
import { parseDuration } from "../../options/duration.ts";
import { textFlag } from "../../options/flags.ts";

export const hubOptions: readonly OptionSpec[] = [
  {
    flag: "--grace",
    value: "time",
    summary: "how long a checkpoint is kept before the data it covers is deleted",
    default: "1h",
  },
  { flag: "--no-archive", summary: "delete folded segments, whatever ledger.archive says" },
];

/** The options of `hub run` and `ledger compact`, from flags and settings. */
export async function hubSettings({
  flags,
  settings,
  paths,
}: Pick<SettingsContext, "flags" | "settings" | "paths">): Promise<HubSettings> {
  return {
    graceMs: parseDuration("grace", textFlag(flags, "grace") ?? "1h"),
    hasArchive: flags["archive"] !== false && settings.ledger.archive === "keep",
    ...(await hubPartsIn(paths)),
  };
}

type HubSettings = Pick<HubOptions, "graceMs" | "hasArchive" | "openSpill" | "openFoldWorker">;
