import { countOf } from "../../../base/count-words.ts";
import {
  createPhraseCache,
  mayHave,
  planTargets,
  planTiles,
  surveyPlaces,
  type Survey,
} from "../../../campaign/index.ts";
import type { Command, SettingsContext } from "../../command.ts";
import { openPlacesHere, openSources, type OpenedSource } from "./open-sources.ts";
import { campaignArgument, loadCampaign } from "./which-campaign.ts";

export const campaignPlan: Command = {
  needs: "settings",
  arguments: [campaignArgument],
  options: [{ flag: "--dry-run", summary: "only say what it would be, write no target index" }],
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
    const hasSource = campaign.sourceFile !== undefined || campaign.imported.length > 0;
    await using places = await openPlacesHere(context);
    const sources = hasSource ? await openSources(context, places, loaded) : [];
    const compiled = createPhraseCache()(campaign);
    const survey = await surveyWithBar(context, sources, compiled, tiles);
    const releases = new Map(sources.map(({ key, release }) => [key, release]));
    const has = mayHave(releases);
    const leftOut = targets.filter((target) => !has(target)).length;
    const file = isDryRun ? undefined : await folder.writeTargets(campaign.name, targets);
    const locations = campaign.locations.map(({ name, proximityKm }) => ({
      name,
      proximityKm,
      tiles: tiles.filter(({ location }) => location === name).length,
    }));
    const planned = new Set(tiles.map(({ tile }) => tile.id));
    const surveyed = sources.map((source) => surveyedSource(source, planned));
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
    tellSources(context, surveyed, survey);
    return surveyed.some(({ bad }) => bad > 0) ? "partial" : undefined;
  },
};

type Surveyed = ReturnType<typeof surveyedSource>;

function surveyedSource({ source, release }: OpenedSource, planned: ReadonlySet<string>) {
  const inside = Object.entries(release.tiles)
    .filter(([tile]) => planned.has(tile))
    .reduce((sum, [, places]) => sum + places, 0);
  const { places, bad, closed, duplicates, reasons, dataTime } = release;
  return {
    name: source.name,
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
      sum + planned.reduce((some, { id }) => some + (release.tiles[id] ?? 0), 0),
    0,
  );
  const bar = progress.start({ label: "look through places", total });
  try {
    const onPlaces = (count: number) => bar.advance(count);
    return await surveyPlaces({ compiled, tiles: planned, sources, signal, onPlaces });
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
  if (sources.length === 0) out.note("it names no source: write file = … under [sources]");
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
