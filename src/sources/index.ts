export { matchesPhrase } from "./match-phrase.ts";
export type { Box, Place, PlaceQuery, PlaceSource } from "./place-source.ts";
