import { existsSync } from "node:fs";
import { openOrMakeQueue } from "../../../app/index.ts";
import { AppError } from "../../../base/app-error.ts";
import { countOf } from "../../../base/count-words.ts";
import { usageError } from "../../../base/usage-error.ts";
import {
  chooseBatch,
  dispatch,
  dueTargets,
  planTargets,
  type Campaign,
  type Dispatched,
} from "../../../campaign/index.ts";
import type { Command, SettingsContext } from "../../command.ts";
import { parseCount, textFlag } from "../../flags.ts";
import { campaignArgument, loadCampaign } from "./which-campaign.ts";
import { witnessesOf } from "./witnesses.ts";

export const campaignDispatch: Command = {
  needs: "settings",
  arguments: [campaignArgument],
  options: [
    {
      flag: "--batch",
      value: "count",
      summary: "at most so many, in the order of the plan",
    },
    { flag: "--canary", value: "count", summary: "at most so many, from all over the plan" },
    { flag: "--dry-run", summary: "only say how many are due" },
  ],
  examples: [
    { line: "forager campaign dispatch austin --dry-run", summary: "how many are due" },
    { line: "forager campaign dispatch austin --canary 5", summary: "try five before all others" },
    { line: "forager campaign dispatch austin", summary: "everything that is due" },
  ],
  details: [
    "Due is what no fresh witness covers, whoever wrote it. Run it as often as you like: a target\n" +
      "that waits, runs or has failed is a duplicate. `forager queue retry --job NAME` tries what\n" +
      "failed again.",
    "Exit code 3 when some tasks were refused (closed: the job was sealed or has ended), 1 when all.",
  ],

  async run(context) {
    const { flags, out, clock } = context;
    const choice = choiceOf(context);
    const isDryRun = flags["dryRun"] === true;
    const { campaign, folder } = await loadCampaign(context);
    if (!isDryRun) checkSource(campaign, folder.sourceFile(campaign));
    const targets = planTargets(campaign);
    const due = dueTargets({
      targets,
      witnesses: await witnessesOf(context, campaign),
      freshness: campaign.freshness,
      nowMs: clock.nowMs(),
    });
    const chosen = chooseBatch(due, choice);
    const counts = { campaign: campaign.name, targets: targets.length, due: due.length };
    if (isDryRun) {
      const words = `${due.length} of ${countOf(targets.length, "target")} are due`;
      const batch = chosen.length < due.length ? `; ${chosen.length} would be dispatched` : "";
      return out.result({ ...counts, chosen: chosen.length }, `${words}${batch}`);
    }
    const answers = await addAll(context, campaign, chosen);
    const { added, duplicate, over_budget: overBudget, closed, full } = answers;
    const refused = overBudget + closed + full;
    out.result(
      { ...counts, chosen: chosen.length, ...answers },
      `${due.length} of ${countOf(targets.length, "target")} are due: ` +
        [
          `${countOf(added, "task")} added`,
          ...(duplicate > 0 ? [`${duplicate} there already`] : []),
          ...(refused > 0 ? [`${refused} refused (see \`forager queue jobs\`)`] : []),
        ].join(", "),
    );
    if (refused > 0) return added + duplicate > 0 ? "partial" : "failed";
  },
};

function choiceOf({ flags }: SettingsContext) {
  const [batch, canary] = [textFlag(flags, "batch"), textFlag(flags, "canary")];
  if (batch !== undefined && canary !== undefined) {
    throw usageError("--batch and --canary are two ways to choose: give one of them");
  }
  if (canary !== undefined) return { limit: parseCount("canary", canary), isCanary: true };
  return { limit: batch === undefined ? undefined : parseCount("batch", batch) };
}

/** Tasks that could only fail are not made. */
function checkSource({ name }: Campaign, file: string | undefined): void {
  if (file !== undefined && existsSync(file)) return;
  const what =
    file === undefined
      ? `campaign ${name} names no source: write file = "places.jsonl" under [sources]`
      : `the source of campaign ${name} is not there: ${file}`;
  throw new AppError("invalid", "campaign_source", what);
}

async function addAll(
  context: SettingsContext,
  campaign: Campaign,
  chosen: Parameters<typeof dispatch>[2],
): Promise<Dispatched> {
  await using queue = await openOrMakeQueue(context);
  const progress = context.progress.start({ label: "dispatch", total: chosen.length });
  try {
    return await dispatch(queue, campaign, chosen, (count) => progress.advance(count));
  } finally {
    progress.done();
  }
}
