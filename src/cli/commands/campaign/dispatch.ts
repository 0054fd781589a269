import type { Command } from "../../frame/command.ts";
import { chooseAndDispatch, dispatchOptions } from "./parts/dispatch-due.ts";
import { campaignArgument } from "./parts/which-campaign.ts";

export const campaignDispatch: Command = {
  needs: "settings",
  arguments: [campaignArgument],
  options: dispatchOptions,
  examples: [
    {
      line: "forager campaign dispatch austin --dry-run",
      summary: "show how many targets are due",
    },
    { line: "forager campaign dispatch austin --canary 5", summary: "start with five tasks" },
    { line: "forager campaign dispatch austin", summary: "add everything that is due" },
  ],
  details: [
    "A target is due if it has no recent result, from any node. Run it as often as you like: a target\n" +
      "that waits, runs or has failed is a duplicate. `forager queue retry --job NAME --yes` tries what\n" +
      "failed again.",
    "If the budget of the campaign has stopped it and was raised since, its job goes on.",
    "Exit code 3 if some tasks were refused (closed: the job was sealed or has ended) or a limit of the\n" +
      "budget is reached, 1 if all were refused.",
  ],

  run: (context) => chooseAndDispatch(context, { isRematch: false }),
};
