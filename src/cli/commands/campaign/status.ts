import {
  campaignStatus,
  mayHave,
  openCampaignFolder,
  planTargets,
  type CampaignStatus,
} from "../../../campaign/index.ts";
import type { Job } from "../../../queue/index.ts";
import type { Command } from "../../command.ts";
import { openPlacesHere } from "./open-sources.ts";
import { queueOrNone } from "./queue-or-none.ts";
import { campaignArgument, campaignNameOf } from "./which-campaign.ts";
import { witnessesOf } from "./witnesses.ts";

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
    const rows: Row[] = [];
    for (const name of names) {
      const campaign = await folder.load(name);
      const witnesses = await witnessesOf(context, campaign);
      const nowMs = context.clock.nowMs();
      const releases = await places.known(folder, campaign);
      const planned = planTargets(campaign);
      const targets = planned.filter(mayHave(releases));
      const status = {
        ...campaignStatus(campaign, targets, witnesses, nowMs),
        tiles: new Set(planned.map(({ tile }) => tile.id)).size,
        targets: planned.length,
        leftOut: planned.length - targets.length,
      };
      const tasks = tasksOf(await queue?.job(name));
      rows.push({ campaign: name, ...status, tasks });
    }
    if (named !== undefined) out.result(rows[0], (layout) => layout.table(rows, columns));
    else if (rows.length > 0) out.table(rows, columns);
    else out.result([], "there is no campaign: `forager campaign new NAME` makes one");
    return rows.some(({ tasks }) => tasks.failed > 0) ? "failed" : undefined;
  },
};

interface Row extends CampaignStatus {
  /** Targets in whose tile their source has no place. */
  readonly leftOut: number;
  readonly campaign: string;
  readonly tasks: ReturnType<typeof tasksOf>;
}

const tasksOf = (job: Job | undefined) => ({
  pending: job?.pending ?? 0,
  running: job?.running ?? 0,
  done: job?.done ?? 0,
  skipped: job?.skipped ?? 0,
  failed: job?.failed ?? 0,
});

const counted = (title: string, value: (row: Row) => number) => ({ title, value });

const columns = [
  { title: "campaign", value: ({ campaign }: Row) => campaign },
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
