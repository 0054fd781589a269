export { matchesPhrase } from "./match-phrase.ts";
export type { Box, Place, PlaceQuery, PlaceSource } from "./place-source.ts";
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
