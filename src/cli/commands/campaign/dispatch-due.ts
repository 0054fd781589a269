import { openOrMakeQueue } from "../../../app/index.ts";
import { AppError } from "../../../base/app-error.ts";
import { countOf } from "../../../base/count-words.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import {
  chooseBatch,
  dispatch,
  createPhraseCache,
  dueTargets,
  groupByTask,
  hasSource,
  mayHave,
  meaningHash,
  openOverpassGate,
  overpassAdvice,
  overpassSourceKey,
  planTargets,
  planTiles,
  resolveTask,
  sourceKeysOf,
  type Campaign,
  type Dispatched,
  type Question,
  type Target,
  type Witness,
} from "../../../campaign/index.ts";
import type { Release } from "../../../sources/index.ts";
import type { OptionSpec, Outcome, SettingsContext } from "../../command.ts";
import { parseCount, textFlag } from "../../flags.ts";
import { notePreflight } from "../../preflight.ts";
import { forceOption, openPlacesHere, openSources, releasesOf } from "./open-sources.ts";
import { loadCampaign } from "./which-campaign.ts";
import { witnessesOf } from "./witnesses.ts";

export const dispatchOptions: readonly OptionSpec[] = [
  {
    flag: "--batch",
    value: "count",
    summary: "at most so many tasks, in the order of the plan",
  },
  { flag: "--canary", value: "count", summary: "at most so many tasks, from all over the plan" },
  { flag: "--dry-run", summary: "only say how many are due" },
  forceOption,
];

/** What dispatch and rematch share: they differ in what counts as due. */
export async function chooseAndDispatch(
  context: SettingsContext,
  { isRematch }: { readonly isRematch: boolean },
): Promise<Outcome> {
  const { flags, out, clock } = context;
  const choice = choiceOf(context);
  const isDryRun = flags["dryRun"] === true;
  const loaded = await loadCampaign(context);
  const { campaign } = loaded;
  checkSource(campaign);
  const targets = planTargets(campaign);
  await using places = await openPlacesHere(context);
  const sources = await openSources(context, places, loaded);
  const releases = releasesOf(sources);
  const toAsk = await places.tilesToAsk(
    campaign,
    planTiles(campaign).map(({ tile }) => tile),
  );
  const isAsked = ({ tile, source }: Target) => source === overpassSourceKey && toAsk.has(tile.id);
  const mayAsk = !isRematch;
  const isThere = mayHave(releases);
  const has = (target: Target) => isThere(target) && (mayAsk || !isAsked(target));
  const due = dueTargets({
    targets,
    witnesses: await witnessesOf(context, campaign),
    freshness: campaign.freshness,
    nowMs: clock.nowMs(),
    mayHave: has,
    ...(isRematch && { isOutdated: isOutdated(campaign, releases) }),
  });
  const leftOut = targets.filter((target) => !has(target)).length;
  const groups = groupByTask(due);
  const asked = groups.filter(([first]) => isAsked(first!)).length;
  const advice = await asUsage(() =>
    Promise.resolve(overpassAdvice(asked, { isForced: flags["force"] === true })),
  );
  if (advice !== undefined) out.note(advice);
  const chosen = chooseBatch(groups, choice);
  const counts = { campaign: campaign.name, targets: targets.length, leftOut, due: due.length };
  const left = leftOut > 0 ? `, ${leftOut} left out because no place is there` : "";
  const words = `${due.length} of ${countOf(targets.length, "target")} are due${left}`;
  if (isDryRun) {
    const batch = chosen.length < groups.length ? `; ${chosen.length} tasks would be added` : "";
    return out.result({ ...counts, chosen: chosen.length }, `${words}${batch}`);
  }
  await notePreflight(context, { campaigns: [campaign] });
  const answers = await addAll(context, campaign, chosen, (target) => !isAsked(target));
  const { added, duplicate, over_budget: overBudget, closed, full } = answers;
  const refused = overBudget + closed + full;
  out.result(
    { ...counts, chosen: chosen.length, ...answers },
    `${words}: ` +
      [
        `${countOf(added, "task")} added`,
        ...(duplicate > 0 ? [`${duplicate} there already`] : []),
        ...(refused > 0 ? [`${refused} refused (see \`forager queue jobs\`)`] : []),
      ].join(", "),
  );
  if (refused > 0) return added + duplicate > 0 ? "partial" : "failed";
}

/** Looked through with other tags, by another matcher, or in another release. */
function isOutdated(campaign: Campaign, releases: ReadonlyMap<string, Release>) {
  const { phrases } = createPhraseCache()(campaign);
  const hashes = new Map(phrases.map((one) => [one.phrase, meaningHash(one)]));
  return ({ phrase, source }: Question, { how, release }: Witness): boolean =>
    how !== hashes.get(phrase) || release !== (releases.get(source)?.release ?? release);
}

function choiceOf({ flags }: SettingsContext) {
  const [batch, canary] = [textFlag(flags, "batch"), textFlag(flags, "canary")];
  if (batch !== undefined && canary !== undefined) {
    throw usageError("--batch and --canary are two ways to choose: give one of them");
  }
  if (canary !== undefined) return { limit: parseCount("canary", canary), isCanary: true };
  return { limit: batch === undefined ? undefined : parseCount("batch", batch) };
}

/** Tasks that could only fail are not made. */
function checkSource(campaign: Campaign): void {
  if (hasSource(campaign)) return;
  const { name } = campaign;
  const what = `campaign ${name} names no source: write file = "places.jsonl" under [sources]`;
  throw new AppError("invalid", "campaign_source", what);
}

async function addAll(
  context: SettingsContext,
  campaign: Campaign,
  chosen: Parameters<typeof dispatch>[2],
  isKept: (target: Target) => boolean,
): Promise<Dispatched> {
  await using queue = await openOrMakeQueue(context);
  const progress = context.progress.start({ label: "dispatch", total: chosen.length });
  try {
    await openOverpassGate(queue, campaign);
    const onProgress = (count: number) => progress.advance(count);
    const answers = await dispatch(queue, campaign, chosen, { onProgress, isKept });
    // Several sources know the same businesses.
    const round = new Date(context.clock.nowMs()).toISOString();
    if (answers.added > 0 && sourceKeysOf(campaign).length > 1) {
      await queue.add([resolveTask(campaign.name, round)]);
    }
    return answers;
  } finally {
    progress.done();
  }
}
