import { userName } from "../../config/index.ts";
import type { OptionSpec, SettingsContext } from "../frame/command.ts";
import { textFlag } from "./flags.ts";

export const sourceOption: OptionSpec = {
  flag: "--source",
  value: "source",
  summary: "provenance stored with the value (default: hand:YOU)",
};

export const sourceOf = ({ flags }: Pick<SettingsContext, "flags">): string =>
  textFlag(flags, "source") ?? `hand:${userName()}`;
