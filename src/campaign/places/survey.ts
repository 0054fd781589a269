import type {
  CompiledPhrases,
  PhraseMatches,
  Place,
  PlaceSource,
  SnapshotRelease,
  Tile,
} from "../../sources/index.ts";
import { companyFacts, type CompanyFacts, type UnreadValue } from "./company-fields.ts";
import { gateOf } from "../enrich/visit-task.ts";
import type { Target } from "../plan.ts";

/** What a campaign will find, as far as its snapshots show. */
export interface Survey {
  readonly phrases: readonly SurveyedPhrase[];
  /** Values that could not be understood, by field of the place. */
  readonly unread: readonly UnreadField[];
  /** Some of the hosts whose websites will be visited. */
  readonly hosts: readonly string[];
  /** The number of places that were read; very large campaigns read only some. */
  readonly places: number;
  readonly isPartial: boolean;
}

export interface SurveyedPhrase extends PhraseMatches {
  /** The places that match. */
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
  /** No further tile is read after this many places; default 500,000. */
  readonly placesMax?: number;
  readonly signal?: AbortSignal;
  readonly onPlaces?: (count: number) => void;
  /** Called for each place that a phrase finds. */
  readonly onMatch?: (place: Place, facts: CompanyFacts) => void;
}

/** More would take minutes without changing the result. */
const placesMaxDefault = 500_000;
/** Enough to detect a common cause, such as one provider. */
const hostsMax = 20;

/** Reads the snapshots of the plan's tiles; sends no requests. */
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
    unread: [...unread].map(([field, shown]) => ({ field, ...shown })),
    hosts: [...hosts],
    places,
    isPartial: places >= placesMax,
  };
}

/** Whether a target's source has any place in its tile; true if unknown. */
export const mayHave =
  (releases: ReadonlyMap<string, SnapshotRelease>) =>
  ({ tile, source }: Target): boolean => {
    const release = releases.get(source);
    return !release || Object.hasOwn(release.tiles, tile.id);
  };
