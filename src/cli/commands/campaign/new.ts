import { asUsage } from "../../../base/usage-error.ts";
import { openCampaignConfigs } from "../../../app/index.ts";
import { userName } from "../../../config/index.ts";
import type { Command } from "../../frame/command.ts";
import { notShared } from "./parts/share-config.ts";
import { campaignOptions, templateOf } from "./parts/template-options.ts";

export const campaignNew: Command = {
  needs: "settings",
  arguments: [{ name: "name", summary: "a-z, 0-9 and -, such as austin-plumbers" }],
  options: campaignOptions,
  examples: [
    { line: "forager campaign new austin-plumbers", summary: "a config.toml to edit" },
    {
      line: "forager campaign new rr --phrase plumber --location 'Round Rock, TX' --radius '20 mi'",
      summary: "around a town, ready for `campaign plan`",
    },
    {
      line: 'forager campaign new austin --phrase plumber --location "Austin, TX@30.2672,-97.7431"',
      summary: "around a point",
    },
  ],
  details: [
    "A campaign is the folder campaigns/NAME of the data folder. An existing one is not changed.",
    "Towns of 5,000 inhabitants and more are known offline (GeoNames, CC BY 4.0). If several have the\n" +
      "name, they are listed: add the state or country, as in 'Springfield, IL'.",
  ],

  async run(context) {
    const { args, flags, out } = context;
    const [name = ""] = args;
    await using configs = await openCampaignConfigs(context, `hand:${userName()}`);
    const { file, isShared } = await asUsage(() => configs.create(name, templateOf(flags)));
    if (!isShared) out.note(notShared(name));
    out.result(
      { campaign: name, file },
      `${file}\nedit it, then see what it means: forager campaign plan ${name}`,
    );
  },
};
