import { openCampaignConfigs } from "../../../app/index.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import { defaultsName } from "../../../campaign/index.ts";
import { userName } from "../../../config/index.ts";
import type { Command } from "../../frame/command.ts";
import { campaignOption, requireCampaignName } from "./parts/which-campaign.ts";

export const campaignSet: Command = {
  needs: "settings",
  arguments: [
    { name: "what", summary: "the campaign, then KEY=VALUE; without a campaign see --campaign", isRepeated: true }, // prettier-ignore
  ],
  options: [
    campaignOption,
    { flag: "--defaults", summary: "in campaigns/_defaults.toml, for all campaigns" },
  ],
  examples: [
    { line: "forager campaign set austin proximityKm=20", summary: "one value" },
    {
      line: 'forager campaign set austin \'phrases=["plumber","roofer"]\'',
      summary: "a list, as JSON",
    },
    {
      line: "forager campaign set austin env.test.proximityKm=2",
      summary: "only if the setting environment is test",
    },
    { line: "forager campaign set austin budget.requests=none", summary: "remove a limit of the budget" }, // prettier-ignore
    {
      line: "forager campaign set --defaults politeness.delayMs=2000",
      summary: "for all campaigns",
    },
  ],
  details: [
    "Comments and other values stay as they are. A value that is not valid is refused, and nothing is\n" +
      "written. If bucket.url is set, the fleet's configuration is changed, and every node fetches it.",
  ],

  async run(context) {
    const { args, flags, paths, out } = context;
    const isDefaults = flags["defaults"] === true;
    const named = args[0]?.includes("=") ? [] : args.slice(0, 1);
    const assignments = args.slice(named.length);
    if (isDefaults && named.length > 0)
      throw usageError("--defaults changes all campaigns: leave out the campaign");
    if (assignments.length === 0) throw usageError("give KEY=VALUE pairs after the campaign name");
    const name = isDefaults ? defaultsName : await requireCampaignName({ ...context, args: named });
    await using configs = await openCampaignConfigs({ ...context, paths }, `hand:${userName()}`);
    await using _state = await context.recordState(async () => ({ text: (await configs.read(name)).text })); // prettier-ignore
    const saved = await asUsage(() => configs.set(name, assignments));
    const fleet = saved.revision === undefined ? "" : `, and for the fleet (revision ${saved.revision})`; // prettier-ignore
    out.result(
      { campaign: name, assignments, file: saved.file, revision: saved.revision ?? null },
      `set ${assignments.join(", ")} in ${saved.file}${fleet}`,
    );
  },
};
