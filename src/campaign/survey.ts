import type {
  CompiledPhrases,
  PhraseMatches,
  Place,
  PlaceSource,
  SnapshotRelease,
  Tile,
} from "../sources/index.ts";
import { companyFacts, type CompanyFacts, type UnreadValue } from "./company-fields.ts";
import { gateOf } from "./enrich/visit-task.ts";
import type { Target } from "./plan.ts";

/** What a campaign will find, as far as its sources tell beforehand. */
export interface Survey {
  readonly phrases: readonly SurveyedPhrase[];
  /** By field of a place: values that nobody understands. */
  readonly unread: readonly UnreadField[];
  /** Hosts of some websites that will be visited. */
  readonly hosts: readonly string[];
  /** Places that were looked at; fewer than there are where the campaign is very large. */
  readonly places: number;
  readonly isPartial: boolean;
}

export interface SurveyedPhrase extends PhraseMatches {
  /** Places that it finds. */
  readonly found: number;
}

export interface UnreadField {
  readonly field: UnreadValue["field"];
  readonly count: number;
  readonly example: string;
}

export interface SurveyOptions {
  readonly compiled: CompiledPhrases;
  readonly tiles: readonly Tile[];
  readonly sources: readonly {
    readonly source: Pick<PlaceSource, "area">;
    readonly release: Pick<SnapshotRelease, "tiles">;
  }[];
  /** No tile is opened after so many places; default 500,000. */
  readonly placesMax?: number;
  readonly signal?: AbortSignal;
  readonly onPlaces?: (count: number) => void;
  /** A place that some phrase finds. */
  readonly onMatch?: (place: Place, facts: CompanyFacts) => void;
}

/** More would take minutes, and say the same. */
const placesMaxDefault = 500_000;
/** Enough to see what the websites have in common. */
const hostsMax = 20;

/** Reads the snapshots of the plan's tiles; asks no source anything. */
export async function surveyPlaces(options: SurveyOptions): Promise<Survey> {
  const { compiled, tiles, sources, signal, onPlaces, onMatch } = options;
  const { placesMax = placesMaxDefault } = options;
  const hosts = new Set<string>();
  const found = compiled.phrases.map(() => 0);
  const unread = new Map<UnreadValue["field"], { count: number; example: string }>();
  let places = 0;
  for (const { source, release } of sources) {
    for (const tile of tiles) {
      if (!Object.hasOwn(release.tiles, tile.id) || places >= placesMax) continue;
      const answer = await source.area?.(tile, signal);
      for (const place of answer?.places ?? []) {
        const matched = compiled.matching(place);
        for (const phrase of matched) found[phrase]! += 1;
        if (matched.length === 0) continue;
        const facts = companyFacts(place);
        onMatch?.(place, facts);
        if (facts.website !== undefined && hosts.size < hostsMax) hosts.add(gateOf(facts.website));
        for (const { field, value } of facts.unread) {
          const known = unread.get(field) ?? { count: 0, example: value };
          known.count += 1;
          unread.set(field, known);
        }
      }
      places += answer?.places.length ?? 0;
      onPlaces?.(answer?.places.length ?? 0);
    }
  }
  return {
    phrases: compiled.phrases.map((one, at) => ({ ...one, found: found[at]! })),
    unread: [...unread].map(([field, told]) => ({ field, ...told })),
    hosts: [...hosts],
    places,
    isPartial: places >= placesMax,
  };
}

/** Whether a target's source has anything in its tile; true where nobody knows. */
export const mayHave =
  (releases: ReadonlyMap<string, SnapshotRelease>) =>
  ({ tile, source }: Target): boolean => {
    const release = releases.get(source);
    return !release || Object.hasOwn(release.tiles, tile.id);
  };
