import { asUsage } from "../../../base/usage-error.ts";
import { openCampaignFolder, type ConfigValue } from "../../../campaign/index.ts";
import type { Command } from "../../frame/command.ts";
import { fetchConfigs } from "./parts/fleet-news.ts";
import { campaignArgument, campaignOption, requireCampaignName } from "./parts/which-campaign.ts";

export const campaignShow: Command = {
  needs: "settings",
  arguments: [campaignArgument],
  options: [campaignOption, { flag: "--origin", summary: "also print the source of each value" }],
  examples: [
    { line: "forager campaign show austin", summary: "every effective value, including defaults" },
    { line: "forager campaign show austin --origin", summary: "with file and line of each" },
    {
      line: "FORAGER_ENVIRONMENT=test forager campaign show austin --origin",
      summary: "see what the table [env.test] changes",
    },
  ],
  details: [
    "Weakest first: defaults, campaigns/_defaults.toml, config.toml, the table [env.NAME] of the\n" +
      "setting environment, then `forager fleet set all campaign.NAME.FIELD=VALUE`.",
  ],

  async run(context) {
    const { paths, flags, out } = context;
    const name = await requireCampaignName(context);
    await fetchConfigs(context, name, { isNewest: true });
    const { values } = await asUsage(() => openCampaignFolder(paths).resolve(name));
    const hasOrigin = flags["origin"] === true;
    const rows = hasOrigin ? values : values.map(({ key, value }) => ({ key, value }));
    const columns = [
      { title: "key", value: ({ key }: Row) => key, isKey: true },
      { title: "value", value: ({ value }: Row) => textOf(value) },
      ...(hasOrigin
        ? [{ title: "origin", value: ({ origin }: Row) => origin ?? "", isNeverCut: true }]
        : []),
    ];
    out.table(rows, columns);
  },
};

type Row = Pick<ConfigValue, "key" | "value"> & Partial<Pick<ConfigValue, "origin">>;

const textOf = (value: unknown): string =>
  typeof value === "string"
    ? value
    : Array.isArray(value)
      ? value.map(textOf).join(", ")
      : JSON.stringify(value);
