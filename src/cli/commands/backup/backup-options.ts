import type { OptionSpec, SettingsContext } from "../../frame/command.ts";
import type { ProgressHandle } from "../../../base/progress-handle.ts";
import { textFlag } from "../../options/flags.ts";
import { parseMoment } from "../company/parts/parse-moment.ts";

export const atOption: OptionSpec = {
  flag: "--at",
  value: "moment",
  summary: "the newest backup at or before this time, such as 2026-11-20T09:00:00Z or 3d",
};

export function momentFlag({ flags, clock }: SettingsContext): string | undefined {
  const text = textFlag(flags, "at");
  return text === undefined
    ? undefined
    : parseMoment("--at", text, { nowMs: clock.nowMs(), direction: "past" });
}

/** With fewer files, no progress bar is shown. */
const quietFilesMax = 2_000;

export function startBar({ progress }: Pick<SettingsContext, "progress">, label: string) {
  let shown: ProgressHandle | undefined;
  let files = 0;
  return {
    onFile(): void {
      files += 1;
      if (!shown && files > quietFilesMax) {
        shown = progress.start({ label });
        shown.advance(files - 1);
      }
      shown?.advance();
    },
    done: () => shown?.done(),
  };
}
