import type { Command } from "../../frame/command.ts";
import { chooseAndDispatch, dispatchOptions } from "./parts/dispatch-due.ts";
import { campaignArgument } from "./parts/which-campaign.ts";

export const campaignRematch: Command = {
  needs: "settings",
  arguments: [campaignArgument],
  options: dispatchOptions,
  examples: [
    {
      line: "forager campaign rematch austin --dry-run",
      summary: "show how many targets that would be",
    },
    {
      line: "forager campaign rematch austin",
      summary: "after a change of phrases, tags or files",
    },
  ],
  details: [
    "Like dispatch, but also includes targets that were searched with other tags, by an older\n" +
      "matcher, or in an older release of their source. It reads snapshots and queries no source.",
  ],
  run: (context) => chooseAndDispatch(context, { isRematch: true }),
};
