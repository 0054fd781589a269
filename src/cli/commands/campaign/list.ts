import { openCampaignFolder, type Campaign } from "../../../campaign/index.ts";
import { AppError } from "../../../base/app-error.ts";
import type { Command } from "../../frame/command.ts";
import { fetchConfigs } from "./parts/fleet-news.ts";

export const campaignList: Command = {
  needs: "settings",
  examples: [
    { line: "forager campaign list", summary: "all campaigns with phrases and locations" },
    { line: "forager campaign list --json", summary: "the same for a program" },
  ],
  details: ["Exits 1 if the config.toml of a campaign is not valid, and says why."],

  async run(context) {
    const { paths, out } = context;
    await fetchConfigs(context);
    const folder = openCampaignFolder(paths);
    const rows: CampaignRow[] = [];
    for (const name of await folder.list()) {
      try {
        rows.push(rowOf(await folder.load(name)));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        rows.push({ campaign: name, phrases: [], locations: [], problem: error.message });
      }
    }
    if (rows.length === 0) {
      return out.result([], "there are no campaigns: `forager campaign new NAME` creates one");
    }
    out.table(rows, [
      { title: "campaign", value: ({ campaign }) => campaign, isKey: true },
      { title: "phrases", value: ({ phrases }) => phrases.join(", ") },
      { title: "locations", value: ({ locations }) => locations.join(", ") },
      { title: "problem", value: ({ problem }) => problem ?? "", isNeverCut: true },
    ]);
    return rows.some(({ problem }) => problem !== null) ? "failed" : undefined;
  },
};

interface CampaignRow {
  readonly campaign: string;
  readonly phrases: readonly string[];
  readonly locations: readonly string[];
  readonly problem: string | null;
}

const rowOf = ({ name, phrases, locations }: Campaign): CampaignRow => ({
  campaign: name,
  phrases,
  locations: locations.map((location) => location.name),
  problem: null,
});
