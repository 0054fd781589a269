export {
  attributionLine,
  attributionsOf,
  licenceOf,
  openDataNames,
  openDataOf,
} from "./attributions.ts";
export { busyForMs } from "./source-busy.ts";
export { countryAt, countryCodeOf } from "./country-at.ts";
export {
  boxOf,
  compareTiles,
  parseTileId,
  tileAt,
  tilesAround,
  neighbourTiles,
  tilesMax,
  type Point,
  type Tile,
} from "./grid.ts";
export { compilePhrases, type CompiledPhrases } from "./phrases/match-places.ts";
export {
  createPhraseMatcher,
  matcherVersion,
  phraseLanguages,
  type PhraseMatches,
  type TagMatch,
  type TagOverrides,
} from "./phrases/phrase-matcher.ts";
export { createDailyBudget } from "./daily-budget.ts";
export { findTowns, townText, type Town } from "./towns/find-towns.ts";
export { placeSchema, type Place } from "./place.ts";
export type { Attribution, PlaceSource } from "./place-source.ts";
export { cutPlaces, type CutOptions, type CutProgress } from "./snapshots/cut-places.ts";
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
