import type { ExportPositionOptions } from "../../../app/index.ts";
import type { OptionSpec, SettingsContext } from "../../frame/command.ts";

export const restartOption: OptionSpec = {
  flag: "--restart",
  summary: "begin again: everything counts as new",
};

export const positionOptions = (context: SettingsContext): ExportPositionOptions => {
  const { paths, settings, clock, signal, flags, out } = context;
  return {
    paths,
    settings,
    clock,
    signal,
    isRestarted: flags["restart"] === true,
    onWaiting: (node) => out.note(`waiting for an export of this name on ${node}`),
  };
};
