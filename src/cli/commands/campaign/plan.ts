import {
  loadCampaignEstimate,
  loadCampaignPlan,
  requireBucket,
  type CampaignPlan,
  type PlannedRequests,
  type PlannedSource,
} from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { asUsage } from "../../../base/usage-error.ts";
import type { CampaignEstimate, Survey } from "../../../campaign/index.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { openReaderOf } from "../../frame/node-context.ts";
import { notePreflight } from "../../frame/preflight.ts";
import { describeEstimate } from "./parts/estimate-view.ts";
import { forceOption, openPlacesHere } from "./parts/open-sources.ts";
import { campaignArgument, campaignOption, loadCampaign } from "./parts/which-campaign.ts";

export const campaignPlan: Command = {
  needs: "settings",
  arguments: [campaignArgument],
  options: [
    { flag: "--estimate", summary: "also estimate requests, hours, bytes and dollars" },
    {
      flag: "--dry-run",
      summary: "only show the plan; write neither targets.csv nor estimate.json",
    },
    forceOption,
    campaignOption,
  ],
  examples: [
    {
      line: "forager campaign plan austin",
      summary: "tiles, targets, tags of phrases, contents of the source",
    },
    {
      line: "forager campaign plan austin --estimate",
      summary: "the expected effort, and the basis of each figure",
    },
    {
      line: "forager campaign plan austin --dry-run --json",
      summary: "for programs, nothing written",
    },
  ],
  details: [
    "A target is a tile of 0.1°, a phrase and a source; all of them are listed in targets.csv beside\n" +
      "the config.toml. `forager campaign dispatch` makes tasks of those that are due. A tile in which\n" +
      "no source has a place is left out.",
    "An estimate covers the whole campaign, including what is done. Places are counted in the\n" +
      "snapshots; other figures come from earlier visits, or are guesses marked as such. It is\n" +
      "kept as campaigns/NAME/estimate.json, and `forager campaign report` compares it with what happened.",
    "Exits 3 if some places of the source file could not be read; it lists their lines.",
  ],

  async run(context) {
    const { flags, out, signal } = context;
    const missing = await requireBucket(context.settings, context.paths);
    if (missing !== undefined) out.note(`warning: ${missing}`);
    const loaded = await loadCampaign(context);
    const { campaign } = loaded;
    await using places = await openPlacesHere(context);
    const bar = createBar(context);
    const options = {
      ...loaded,
      places,
      isDryRun: flags["dryRun"] === true,
      isForced: flags["force"] === true,
      signal,
      onBegin: (total: number) => bar.begin(total),
      onPlaces: (count: number) => bar.advance(count),
    };
    const { plan, estimate } = await asUsage(() =>
      planOf(context, options, { isEstimated: flags["estimate"] === true }),
    ).finally(() => bar.done());
    const { survey, locations, tiles, targets, leftOut, file, sources, requests, advice } = plan;
    const value = {
      campaign: campaign.name,
      phrases: survey.phrases,
      locations,
      tiles,
      targets,
      leftOut,
      file,
      source: sources[0],
      sources,
      requests,
      unread: survey.unread,
      ...(estimate && { estimate }),
    };
    out.result(value, (layout) => {
      const table = layout.table(locations, [
        { title: "location", value: ({ name }) => name },
        { title: "km", value: ({ proximityKm }) => proximityKm },
        { title: "tiles", value: (row) => row.tiles },
      ]);
      const meaning = layout.table(phraseRows(survey), [
        { title: "phrase", value: ({ phrase }) => phrase },
        { title: "finds", value: ({ found }) => found },
        { title: "by", value: ({ by }) => by },
        { title: "score", value: ({ score }) => score },
        { title: "state", value: ({ state }) => state },
        { title: "because of", value: ({ because }) => because },
      ]);
      const times = sources.length > 1 ? ` × ${countOf(sources.length, "source")}` : "";
      const sum =
        `${countOf(tiles, "tile")} × ${countOf(campaign.phrases.length, "phrase")}${times} = ` +
        countOf(targets, "target");
      const without =
        leftOut > 0 ? `\n${leftOut} of them are left out: their tile has no place` : "";
      const where = file === undefined ? "" : `\nthey are listed in ${file}`;
      const will = estimate ? `\n\n${describeEstimate(estimate, layout)}` : "";
      return `${table.trimEnd()}\n\n${meaning.trimEnd()}\n\n${sum}${without}${where}${will}`;
    });
    if (requests) out.note(requestWords(requests));
    if (advice !== undefined) out.note(advice);
    if (!plan.hasSource) out.note("it has no source: write file = … under [sources]");
    printSources(context, sources, survey);
    await notePreflight(context, { campaigns: [campaign], hosts: survey.hosts });
    return sources.some(({ bad, isSwapped }) => bad > 0 || isSwapped) ? "partial" : undefined;
  },
};

type PlanOptions = Parameters<Awaited<ReturnType<typeof loadCampaignPlan>>["planCampaign"]>[0];

async function planOf(
  context: SettingsContext,
  options: PlanOptions,
  { isEstimated }: { readonly isEstimated: boolean },
): Promise<{ readonly plan: CampaignPlan; readonly estimate?: CampaignEstimate }> {
  if (!isEstimated) return { plan: await (await loadCampaignPlan()).planCampaign(options) };
  const { makeEstimate } = await loadCampaignEstimate();
  const { paths, settings, clock } = context;
  await using reader = await openReaderOf(context);
  const isKept = !options.isDryRun;
  return await makeEstimate({ ...options, paths, settings, clock, reader, isKept });
}

const requestWords = ({ source, tiles, hours }: PlannedRequests) =>
  tiles === 0
    ? `${source}: no requests are needed, because every tile has a snapshot`
    : `${source}: ${countOf(tiles, "tile")} to ask for, at least ${hours < 0.1 ? "some minutes" : `${hours.toFixed(1)} hours`}`;

function createBar({ progress }: SettingsContext) {
  let bar: ReturnType<typeof progress.start> | undefined;
  return {
    begin: (total: number) => void (bar = progress.start({ label: "searching places", total })),
    advance: (count: number) => bar?.advance(count),
    done: () => bar?.done(),
  };
}

function phraseRows({ phrases }: Survey) {
  return phrases.flatMap(({ phrase, found, matches }) => {
    const rows = matches.map(({ source, tag, score, state, because }) => ({
      by: `${source} ${tag}`,
      score: score.toFixed(2),
      state: state === "used" ? "used" : "proposed",
      because,
    }));
    const none = { by: "names only", score: "", state: "", because: "no tag matches" };
    return (rows.length > 0 ? rows : [none]).map((row, at) => ({
      phrase: at === 0 ? phrase : "",
      found: at === 0 ? String(found) : "",
      ...row,
    }));
  });
}

function printSources(
  { out }: SettingsContext,
  sources: readonly PlannedSource[],
  survey: Survey,
): void {
  for (const { name, places, outside, bad, closed, duplicates, reasons, isSwapped } of sources) {
    out.note(`${name}: ${countOf(places, "place")}, ${outside} of them outside every tile`);
    if (isSwapped) {
      out.note(
        `warning: ${name}: latitude and longitude seem to be swapped: places would be in the area`,
      );
    }
    for (const { reason, count, lines } of reasons) {
      out.note(`${name}:${lines.join(",")}: ${reason}; ${countOf(count, "record")} skipped`);
    }
    const listed = reasons.reduce((sum, { count }) => sum + count, 0);
    if (bad > listed) out.note(`and ${countOf(bad - listed, "more record")} that cannot be read`);
    if (closed > 0) out.note(`${name}: ${countOf(closed, "place")} permanently closed, left out`);
    if (duplicates > 0) out.note(`${name}: ${countOf(duplicates, "place")} repeated, used once`);
  }
  for (const { field, count, example } of survey.unread) {
    out.note(`${field}: ${countOf(count, "value")} not understood, such as '${example}'`);
  }
  if (survey.isPartial) out.note(`only the first ${survey.places} places were searched`);
}
