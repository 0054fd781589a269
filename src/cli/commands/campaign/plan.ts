import { loadCampaignWork, type OpenedSource } from "../../../app/index.ts";
import { countOf } from "../../../base/count-words.ts";
import { asUsage } from "../../../base/usage-error.ts";
import {
  createPhraseCache,
  hasSource,
  mayHave,
  overpassAdvice,
  overpassSourceKey,
  planTargets,
  planTiles,
  surveyPlaces,
  type Campaign,
  type Survey,
} from "../../../campaign/index.ts";
import type { SnapshotRelease } from "../../../sources/index.ts";
import type { Command, SettingsContext } from "../../command.ts";
import { notePreflight } from "../../preflight.ts";
import { forceOption, openPlacesHere } from "./open-sources.ts";
import { campaignArgument, loadCampaign } from "./which-campaign.ts";

export const campaignPlan: Command = {
  needs: "settings",
  arguments: [campaignArgument],
  options: [
    { flag: "--dry-run", summary: "only say what it would be, write no target index" },
    forceOption,
  ],
  examples: [
    {
      line: "forager campaign plan austin",
      summary: "tiles, targets, what phrases mean, what the source has",
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
    "Exits 3 when some places of the source file could not be read; their lines are named.",
  ],

  async run(context) {
    const { flags, out } = context;
    const loaded = await loadCampaign(context);
    const { campaign, folder } = loaded;
    const [tiles, targets] = [planTiles(campaign), planTargets(campaign)];
    const isDryRun = flags["dryRun"] === true;
    await using places = await openPlacesHere(context);
    const { openCampaignSources, releasesOf } = await loadCampaignWork();
    const sources = hasSource(campaign)
      ? await openCampaignSources(places, loaded, context.signal)
      : [];
    const compiled = createPhraseCache()(campaign);
    const survey = await surveyWithBar(context, sources, compiled, tiles);
    const has = mayHave(releasesOf(sources));
    const toAsk = await places.tilesToAsk(
      campaign,
      tiles.map(({ tile }) => tile),
    );
    const advice = await asUsage(() =>
      Promise.resolve(overpassAdvice(toAsk.size, { isForced: flags["force"] === true })),
    );
    const leftOut = targets.filter((target) => !has(target)).length;
    const file = isDryRun ? undefined : await folder.writeTargets(campaign.name, targets);
    const locations = campaign.locations.map(({ name, proximityKm }) => ({
      name,
      proximityKm,
      tiles: tiles.filter(({ location }) => location === name).length,
    }));
    const planned = new Set(tiles.map(({ tile }) => tile.id));
    const surveyed = sources.flatMap(({ source, release }) =>
      release ? [surveyedSource(source.name, release, planned)] : [],
    );
    const requests = requestsOf(campaign, sources, toAsk.size);
    const value = {
      campaign: campaign.name,
      phrases: survey.phrases,
      locations,
      tiles: tiles.length,
      targets: targets.length,
      leftOut,
      file,
      source: surveyed[0],
      sources: surveyed,
      requests,
      unread: survey.unread,
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
      const times = surveyed.length > 1 ? ` × ${countOf(surveyed.length, "source")}` : "";
      const sum =
        `${countOf(tiles.length, "tile")} × ${countOf(campaign.phrases.length, "phrase")}${times} = ` +
        countOf(targets.length, "target");
      const without =
        leftOut > 0 ? `\n${leftOut} of them are left out: no place is in their tile` : "";
      const where = file === undefined ? "" : `\nthey are listed in ${file}`;
      return `${table.trimEnd()}\n\n${meaning.trimEnd()}\n\n${sum}${without}${where}`;
    });
    if (requests) out.note(requestWords(requests));
    if (advice !== undefined) out.note(advice);
    if (sources.length === 0) out.note("it names no source: write file = … under [sources]");
    tellSources(context, surveyed, survey);
    await notePreflight(context, { campaigns: [campaign] });
    return surveyed.some(({ bad }) => bad > 0) ? "partial" : undefined;
  },
};

type Surveyed = ReturnType<typeof surveyedSource>;

/** What a server will be asked for; each request is a tile, at least. */
function requestsOf(
  { overpass }: Campaign,
  sources: readonly OpenedSource[],
  tiles: number,
): { readonly source: string; readonly tiles: number; readonly hours: number } | undefined {
  const source = sources.find(({ key }) => key === overpassSourceKey)?.source;
  if (!overpass || !source) return undefined;
  return { source: source.name, tiles, hours: (tiles * overpass.delayMs) / 3_600_000 };
}

const requestWords = ({ source, tiles, hours }: NonNullable<ReturnType<typeof requestsOf>>) =>
  tiles === 0
    ? `${source}: no request is needed, snapshots answer`
    : `${source}: ${countOf(tiles, "tile")} to ask for, at least ${hours < 0.1 ? "some minutes" : `${hours.toFixed(1)} hours`}`;

function surveyedSource(name: string, release: SnapshotRelease, planned: ReadonlySet<string>) {
  const inside = Object.entries(release.tiles)
    .filter(([tile]) => planned.has(tile))
    .reduce((sum, [, places]) => sum + places, 0);
  const { places, bad, closed, duplicates, reasons, dataTime } = release;
  return {
    name,
    release: release.release,
    dataTime,
    places,
    outside: places - inside,
    bad,
    closed,
    duplicates,
    reasons,
  };
}

async function surveyWithBar(
  { progress, signal }: SettingsContext,
  sources: readonly OpenedSource[],
  compiled: Parameters<typeof surveyPlaces>[0]["compiled"],
  tiles: ReturnType<typeof planTiles>,
): Promise<Survey> {
  const planned = tiles.map(({ tile }) => tile);
  const total = sources.reduce(
    (sum, { release }) =>
      sum + planned.reduce((some, { id }) => some + (release?.tiles[id] ?? 0), 0),
    0,
  );
  const known = sources.flatMap(({ source, release }) => (release ? [{ source, release }] : []));
  const bar = progress.start({ label: "look through places", total });
  try {
    const onPlaces = (count: number) => bar.advance(count);
    return await surveyPlaces({ compiled, tiles: planned, sources: known, signal, onPlaces });
  } finally {
    bar.done();
  }
}

function phraseRows({ phrases }: Survey) {
  return phrases.flatMap(({ phrase, found, matches }) => {
    const rows = matches.map(({ source, tag, score, state, because }) => ({
      by: `${source} ${tag}`,
      score: score.toFixed(2),
      state: state === "used" ? "used" : "proposed",
      because,
    }));
    const none = { by: "names only", score: "", state: "", because: "no tag is like it" };
    return (rows.length > 0 ? rows : [none]).map((row, at) => ({
      phrase: at === 0 ? phrase : "",
      found: at === 0 ? String(found) : "",
      ...row,
    }));
  });
}

function tellSources({ out }: SettingsContext, sources: readonly Surveyed[], survey: Survey): void {
  for (const { name, places, outside, bad, closed, duplicates, reasons } of sources) {
    out.note(`${name}: ${countOf(places, "place")}, ${outside} of them outside every tile`);
    for (const { reason, count, lines } of reasons) {
      out.note(`${name}:${lines.join(",")}: ${reason}; ${countOf(count, "record")} passed over`);
    }
    const told = reasons.reduce((sum, { count }) => sum + count, 0);
    if (bad > told) out.note(`and ${countOf(bad - told, "more record")} that cannot be read`);
    if (closed > 0) out.note(`${name}: ${countOf(closed, "place")} closed for good, left out`);
    if (duplicates > 0) out.note(`${name}: ${countOf(duplicates, "place")} told twice, taken once`);
  }
  for (const { field, count, example } of survey.unread) {
    out.note(`${field}: ${countOf(count, "value")} not understood, such as '${example}'`);
  }
  if (survey.isPartial) out.note(`only the first ${survey.places} places were looked through`);
}
