import { readCampaignState, type CampaignState } from "../../../app/index.ts";
import { openCampaignFolder } from "../../../campaign/index.ts";
import type { Command } from "../../command.ts";
import { openReaderOf } from "../../node-context.ts";
import { openPlacesHere } from "./open-sources.ts";
import { queueOrNone } from "./queue-or-none.ts";
import { campaignArgument, campaignNameOf } from "./which-campaign.ts";

export const campaignStatusCommand: Command = {
  needs: "settings",
  arguments: [{ ...campaignArgument, summary: "the campaign (default: this folder's, or all)" }],
  examples: [
    { line: "forager campaign status", summary: "all campaigns, one line each" },
    { line: "forager campaign status austin --json", summary: "one of them, for programs" },
  ],
  details: [
    "fresh and empty were looked through in time; expired and never are what a dispatch would ask\n" +
      "for; left out are those in whose tile the source has no place. pending, running and failed count the tasks of the campaign's job, of every kind.",
    "Exits 1 when tasks have failed: `forager queue list --state failed` says why.",
  ],

  async run(context) {
    const { out, paths } = context;
    const named = campaignNameOf(context);
    const folder = openCampaignFolder(paths);
    const names = named === undefined ? await folder.list() : [named];
    await using queue = await queueOrNone(context);
    await using places = await openPlacesHere(context);
    await using reader = await openReaderOf(context);
    const { ledger } = reader;
    const rows: CampaignState[] = [];
    for (const name of names) {
      rows.push(await readCampaignState(name, { ...context, ledger, places, queue }));
    }
    if (named !== undefined) out.result(rows[0], (layout) => layout.table(rows, columns));
    else if (rows.length > 0) out.table(rows, columns);
    else out.result([], "there is no campaign: `forager campaign new NAME` makes one");
    return rows.some(({ tasks }) => tasks.failed > 0) ? "failed" : undefined;
  },
};

const counted = (title: string, value: (row: CampaignState) => number) => ({ title, value });

const columns = [
  { title: "campaign", value: ({ campaign }: CampaignState) => campaign, isKey: true },
  counted("tiles", ({ tiles }) => tiles),
  counted("targets", ({ targets }) => targets),
  counted("fresh", ({ fresh }) => fresh),
  counted("empty", ({ empty }) => empty),
  counted("expired", ({ expired }) => expired),
  counted("never", ({ never }) => never),
  counted("left out", ({ leftOut }) => leftOut),
  counted("found", ({ found }) => found),
  counted("pending", ({ tasks }) => tasks.pending),
  counted("running", ({ tasks }) => tasks.running),
  counted("failed", ({ tasks }) => tasks.failed),
];
