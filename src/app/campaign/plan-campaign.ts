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
  type SurveyOptions,
  type Target,
} from "../../campaign/index.ts";
import type { SnapshotRelease } from "../../sources/index.ts";
import type { Places } from "../places/open-places.ts";
import {
  openCampaignSources,
  releasesOf,
  type LoadedCampaign,
  type OpenedSource,
} from "./dispatch-campaign.ts";

export interface PlanCampaignOptions extends LoadedCampaign {
  readonly places: Places;
  /** Do not write the target index. */
  readonly isDryRun: boolean;
  /** True if a server may be asked for more tiles than its operators recommend. */
  readonly isForced: boolean;
  readonly signal?: AbortSignal;
  /** Called with the number of places to search. */
  readonly onBegin?: (places: number) => void;
  readonly onPlaces?: (count: number) => void;
  readonly onMatch?: SurveyOptions["onMatch"];
}

/**
 * What a campaign would search, according to its configuration and the snapshots of its sources.
 */
export interface CampaignPlan {
  readonly campaign: string;
  readonly locations: readonly {
    readonly name: string;
    readonly proximityKm: number;
    readonly tiles: number;
  }[];
  readonly tiles: number;
  readonly targets: number;
  /** Targets in whose tile the source has no places. */
  readonly leftOut: number;
  /** The path of the target index; undefined if it was not written. */
  readonly file: string | undefined;
  readonly sources: readonly PlannedSource[];
  /** Absent if no server has to be asked. */
  readonly requests: PlannedRequests | undefined;
  readonly survey: Survey;
  /** Over all sources: tiles whose places are in a snapshot. */
  readonly knownTiles: number;
  /** Tiles for which a server has to be asked. */
  readonly tilesToAsk: number;
  /** The share of places in the snapshots that was examined. */
  readonly lookedShare: number;
  readonly advice: string | undefined;
  readonly hasSource: boolean;
}

export interface PlannedRequests {
  readonly source: string;
  readonly tiles: number;
  /** A lower bound. */
  readonly hours: number;
}

export type PlannedSource = ReturnType<typeof plannedSource>;

export async function planCampaign(options: PlanCampaignOptions): Promise<CampaignPlan> {
  const { campaign, folder, places, isDryRun, isForced, signal } = options;
  const [tiles, targets] = [planTiles(campaign), planTargets(campaign)];
  const sources = hasSource(campaign) ? await openCampaignSources(places, options, signal) : [];
  const toAsk = await places.tilesToAsk(
    campaign,
    tiles.map(({ tile }) => tile),
  );
  const { survey, knownTiles, lookedShare } = await surveyOf(options, sources, { tiles, toAsk });
  const has = mayHave(releasesOf(sources));
  const advice = overpassAdvice(toAsk.size, { isForced });
  const file = isDryRun ? undefined : await folder.writeTargets(campaign.name, targets);
  const planned = new Set(tiles.map(({ tile }) => tile.id));
  return {
    campaign: campaign.name,
    locations: campaign.locations.map(({ name, proximityKm }) => ({
      name,
      proximityKm,
      tiles: tiles.filter(({ location }) => location === name).length,
    })),
    tiles: tiles.length,
    targets: targets.length,
    leftOut: targets.filter((target) => !has(target)).length,
    file,
    sources: sources.flatMap(({ source, release }) =>
      release ? [plannedSource(source.name, release, planned)] : [],
    ),
    requests: requestsOf(campaign, sources, toAsk.size),
    survey,
    knownTiles,
    tilesToAsk: toAsk.size,
    lookedShare,
    advice,
    hasSource: sources.length > 0,
  };
}

/** A sample of this size is enough to find a problem that most websites have in common. */
const sampledTilesMax = 50;
const sampledPlacesMax = 2_000;

/** Hosts of some websites that the next tasks will visit; empty if they are not known. */
export async function sampleHosts(
  options: LoadedCampaign & {
    readonly places: Places;
    readonly chosen: readonly (readonly Target[])[];
    readonly signal?: AbortSignal;
  },
): Promise<readonly string[]> {
  const { campaign, places, chosen, signal } = options;
  const tiles = chosen.slice(0, sampledTilesMax).flatMap(([first]) => (first ? [first.tile] : []));
  if (tiles.length === 0) return [];
  const sources = await openCampaignSources(places, options, signal);
  const { hosts } = await surveyPlaces({
    compiled: createPhraseCache()(campaign),
    tiles,
    sources: knownOf(sources),
    placesMax: sampledPlacesMax,
    ...(signal && { signal }),
  });
  return hosts;
}

const knownOf = (sources: readonly OpenedSource[]) =>
  sources.flatMap(({ source, release }) => (release ? [{ source, release }] : []));

/** The requests to a server; each tile is at least one request. */
function requestsOf(
  { overpass }: Campaign,
  sources: readonly OpenedSource[],
  tiles: number,
): PlannedRequests | undefined {
  const source = sources.find(({ key }) => key === overpassSourceKey)?.source;
  if (!overpass || !source) return undefined;
  return { source: source.name, tiles, hours: (tiles * overpass.delayMs) / 3_600_000 };
}

function plannedSource(name: string, release: SnapshotRelease, planned: ReadonlySet<string>) {
  const inside = Object.entries(release.tiles)
    .filter(([tile]) => planned.has(tile))
    .reduce((sum, [, places]) => sum + places, 0);
  const { places, bad, closed, duplicates, reasons, dataTime } = release;
  const exchanged = Object.keys(release.tiles).map((tile) => tile.split("_").reverse().join("_"));
  return {
    name,
    /** No place is in the area, and some would be if latitude and longitude were exchanged. */
    isSwapped: inside === 0 && exchanged.some((tile) => planned.has(tile)),
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

interface SurveyTiles {
  readonly tiles: ReturnType<typeof planTiles>;
  readonly toAsk: ReadonlySet<string>;
}

/** Searches the available snapshots; sends no request to a server. */
async function surveyOf(
  { campaign, signal, onBegin, onPlaces, onMatch }: PlanCampaignOptions,
  sources: readonly OpenedSource[],
  { tiles, toAsk }: SurveyTiles,
): Promise<Pick<CampaignPlan, "survey" | "knownTiles" | "lookedShare">> {
  const planned = tiles.map(({ tile }) => tile);
  const kept = planned.filter(({ id }) => !toAsk.has(id));
  const ofServer = { tiles: Object.fromEntries(kept.map(({ id }) => [id, 0])) };
  const total = sources.reduce(
    (sum, { release }) =>
      sum + planned.reduce((some, { id }) => some + (release?.tiles[id] ?? 0), 0),
    0,
  );
  onBegin?.(total);
  const survey = await surveyPlaces({
    compiled: createPhraseCache()(campaign),
    tiles: planned,
    sources: sources.map(({ source, release }) => ({ source, release: release ?? ofServer })),
    ...(signal && { signal }),
    ...(onPlaces && { onPlaces }),
    ...(onMatch && { onMatch }),
  });
  return {
    survey,
    knownTiles: sources.reduce(
      (sum, { release }) => sum + (release ? planned.length : kept.length),
      0,
    ),
    lookedShare: survey.isPartial && total > survey.places ? survey.places / total : 1,
  };
}
