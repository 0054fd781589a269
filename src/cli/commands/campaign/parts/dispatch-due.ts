import {
  loadCampaignPlan,
  loadCampaignWork,
  openOrMakeQueue,
  requireBucket,
  type ResumeOutcome,
} from "../../../../app/index.ts";
import { countOf } from "../../../../base/text/count-words.ts";
import { asUsage, usageError } from "../../../../base/usage-error.ts";
import type { OptionSpec, CommandOutcome, SettingsContext } from "../../../frame/command.ts";
import { parseCount, textFlag } from "../../../options/flags.ts";
import { openReaderOf } from "../../../frame/node-context.ts";
import { notePreflight } from "../../../frame/preflight.ts";
import { forceOption, openPlacesHere } from "./open-sources.ts";
import { shareConfig } from "./share-config.ts";
import { campaignOption, loadCampaign, requireCampaignName } from "./which-campaign.ts";

export const dispatchOptions: readonly OptionSpec[] = [
  {
    flag: "--batch",
    value: "count",
    summary: "maximum number of new tasks, in the order of the plan",
  },
  { flag: "--canary", value: "count", summary: "maximum number of tasks, spread over the plan" },
  { flag: "--dry-run", summary: "only show how many are due" },
  forceOption,
  campaignOption,
];

/** The common part of `dispatch` and `rematch`; they differ in which targets are due. */
export async function chooseAndDispatch(
  context: SettingsContext,
  { isRematch }: { readonly isRematch: boolean },
): Promise<CommandOutcome> {
  const { flags, out, clock, signal } = context;
  const choice = choiceOf(context);
  const isDryRun = flags["dryRun"] === true;
  const missing = await requireBucket(context.settings, context.paths);
  if (missing !== undefined) out.note(`warning: ${missing}`);
  if (!isDryRun) await shareConfig(context, await requireCampaignName(context));
  const loaded = await loadCampaign(context);
  const { campaign } = loaded;
  await using places = await openPlacesHere(context);
  await using reader = await openReaderOf(context);
  const { findDueTasks, addDueTasks, resumeWithinBudget } = await loadCampaignWork();
  const { ledger, records } = reader;
  const isForced = flags["force"] === true;
  const found = await asUsage(
    () => findDueTasks({ ...loaded, places, ledger, clock, isRematch, isForced, choice, signal }),
    ["campaign_overpass_size", "campaign_source"],
  );
  if (found.advice !== undefined) out.note(found.advice);
  const { leftOut, chosen, due } = found;
  const targets = found.targets.length;
  const counts = { campaign: campaign.name, targets, leftOut, due };
  const left = leftOut > 0 ? `, ${leftOut} skipped because they have no place` : "";
  const words = `${due} of ${countOf(targets, "target")} are due${left}`;
  if (isDryRun) {
    const most = Math.min(chosen.length, found.addedMax ?? Infinity);
    const batch = most < found.tasks ? `; ${most} tasks would be added` : "";
    return out.result({ ...counts, chosen: most }, `${words}${batch}`);
  }
  const { sampleHosts } = await loadCampaignPlan();
  const hosts = await sampleHosts({ ...loaded, places, chosen, signal });
  await notePreflight(context, { campaigns: [campaign], hosts });
  await using queue = await openOrMakeQueue(context);
  const progress = context.progress.start({ label: "dispatch", total: chosen.length });
  const answers = await addDueTasks({
    queue,
    campaign,
    due: found,
    ...(choice.isCanary !== true && { topUp: { isRematch } }),
    nowMs: clock.nowMs(),
    onProgress: (count) => progress.advance(count),
  }).finally(() => progress.done());
  const { paths } = context;
  const queueUrl = context.settings.queue.url;
  const budget = { campaign, queue, queueUrl, paths, clock, ledger, records };
  const job = await resumeWithinBudget(budget);
  const { added, duplicate, over_budget: overBudget, closed, isToppedUp } = answers;
  const later = isToppedUp ? answers.full : 0;
  const refused = overBudget + closed + answers.full - later;
  out.result(
    { ...counts, chosen: chosen.length, ...answers, job },
    `${words}: ` +
      [
        `${countOf(added, "task")} added`,
        ...(duplicate > 0 ? [`${duplicate} already in the queue`] : []),
        ...(later > 0 ? [`${later} will be added automatically when the queue has room`] : []),
        ...(refused > 0 ? [`${refused} refused (see \`forager queue jobs\`)`] : []),
      ].join(", "),
  );
  const note = jobNotes[job];
  if (note !== undefined) out.note(note(campaign.name));
  if (job === "budget") return "partial";
  if (refused > 0) return added + duplicate + later > 0 ? "partial" : "failed";
}

const jobNotes: Readonly<Record<ResumeOutcome, ((name: string) => string) | undefined>> = {
  running: undefined,
  resumed: (name) => `job ${name} was resumed: no limit of its budget is reached any more`,
  budget: (name) =>
    `a limit of the budget of ${name} is reached, so nothing is started: \`forager campaign status ${name}\` shows which`,
  paused: (name) =>
    `job ${name} is paused: \`forager queue resume ${name}\` starts its tasks again`,
};

function choiceOf({ flags }: SettingsContext) {
  const [batch, canary] = [textFlag(flags, "batch"), textFlag(flags, "canary")];
  if (batch !== undefined && canary !== undefined) {
    throw usageError("--batch and --canary cannot be combined");
  }
  if (canary !== undefined) return { limit: parseCount("canary", canary), isCanary: true };
  return { limit: batch === undefined ? undefined : parseCount("batch", batch) };
}
