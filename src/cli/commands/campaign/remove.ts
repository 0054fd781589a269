import { checkRemovable, openCampaignConfigs, removeCampaign } from "../../../app/index.ts";
import { asUsage } from "../../../base/usage-error.ts";
import { openCampaignFolder } from "../../../campaign/index.ts";
import { userName } from "../../../config/index.ts";
import type { Command } from "../../frame/command.ts";
import { queueOrNone } from "../queue/parts/queue-or-none.ts";

export const campaignRemove: Command = {
  needs: "settings",
  arguments: [{ name: "name", summary: "the campaign", complete: "campaign" }],
  options: [{ flag: "--yes", summary: "do not ask" }],
  examples: [
    { line: "forager campaign remove austin", summary: "asks first, and prints how to undo it" },
  ],
  details: [
    "Renames the campaign's folder, and removes the configuration in the bucket. The companies it\n" +
      "found are kept. If the campaign has tasks in\n" +
      "the queue, it refuses: end them with `forager queue cancel NAME --yes` first.",
  ],

  async run(context) {
    const { args, flags, paths, out } = context;
    const [name = ""] = args;
    const folder = openCampaignFolder(paths);
    await using queue = await queueOrNone(context);
    const codes = ["no_campaign", "campaign_name", "campaign_has_tasks"];
    await asUsage(() => checkRemovable(name, { folder, queue }), codes);
    if (!(await context.confirm(`remove campaign ${name}?`, { yes: flags["yes"] === true }))) {
      out.note("nothing was removed");
      return "failed";
    }
    await using configs = await openCampaignConfigs(context, `hand:${userName()}`);
    await using _state = await context.recordState(async () => ({ text: (await configs.read(name)).text })); // prettier-ignore
    const keptAs = await removeCampaign(name, { folder, queue, configs });
    const undo = `mv ${keptAs} ${paths.resolve("campaigns", name)}`;
    out.result({ campaign: name, keptAs, undo }, `removed ${name}; undo with: ${undo}`);
  },
};
