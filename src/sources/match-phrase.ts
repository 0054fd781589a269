import type { Place } from "./place-source.ts";

/** So many letters in common are the same word: plumber, plumbers, plumbing. */
const stemLength = 5;

/**
 * Whether a place is what a phrase looks for: every word of the phrase is one of the words of its
 * name, categories or description. Accents and case do not matter; of two words that begin alike,
 * with five letters in common and at most four after that in either, the one is taken for the other.
 */
export function matchesPhrase(place: Place, phrase: string): boolean {
  const wanted = wordsOf(phrase);
  if (wanted.length === 0) return false;
  const texts = [place.name, ...(place.categories ?? []), place.description ?? ""];
  const words = new Set(texts.flatMap(wordsOf));
  return wanted.every((word) => words.has(word) || [...words].some((one) => isAkin(one, word)));
}

const endingMax = 4;

function isAkin(a: string, b: string): boolean {
  let common = 0;
  while (common < a.length && common < b.length && a[common] === b[common]) common += 1;
  return common >= stemLength && a.length - common <= endingMax && b.length - common <= endingMax;
}

const wordsOf = (text: string): readonly string[] =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];
