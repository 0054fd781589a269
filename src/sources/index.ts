export {
  attributionLine,
  attributionOf,
  attributionsOf,
  licenceOf,
  openDataNames,
  openDataOf,
} from "./attributions.ts";
export { busyForMs } from "./source-busy.ts";
export { countryAt, countryCodeOf } from "./country-at.ts";
export {
  boxOf,
  centreOf,
  compareTiles,
  isPoint,
  parseTileId,
  tileAt,
  tilesAround,
  tilesBeside,
  tilesMax,
  type Box,
  type Point,
  type Tile,
} from "./grid.ts";
export { compilePhrases, type CompiledPhrases } from "./phrases/match-places.ts";
export {
  createPhraseMatcher,
  matcherVersion,
  phraseLanguages,
  type PhraseMatcher,
  type PhraseMatches,
  type TagMatch,
  type TagOverrides,
} from "./phrases/phrase-matcher.ts";
export { createDailyBudget, type DailyBudget } from "./daily-budget.ts";
export { findTowns, townsCredit, townText, type Town } from "./towns/find-towns.ts";
export { placeSchema, type Place } from "./place.ts";
export type {
  Attribution,
  LookOptions,
  PlaceSource,
  SearchQuery,
  SourceGate,
  SourceHealth,
  TilePlaces,
} from "./place-source.ts";
export {
  cutPlaces,
  type CutOptions,
  type CutProgress,
  type PlaceArea,
} from "./snapshots/cut-places.ts";
export { readPlaceFile, type FileRecord } from "./read/read-place-file.ts";
export { isRemoteFile } from "./remote-file.ts";
export { readArea } from "./snapshots/place-area.ts";
export {
  createSnapshotStore,
  sourceKeyRule,
  type SnapshotRelease,
  type SnapshotStore,
} from "./snapshots/snapshot-store.ts";
export { featureTexts } from "./read/json-records.ts";
export { placeFieldNamed } from "./read/place-names.ts";
