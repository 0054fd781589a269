import { wordsOf } from "../../base/text/fold-text.ts";
import type { Place } from "../place.ts";
import { categoryText } from "./overture-categories.ts";
import { usedScore, type PhraseMatcher, type PhraseMatches } from "./phrase-matcher.ts";

/**
 * Phrases prepared for matching many places. A phrase finds a place if the place has one of the
 * phrase's used tags or categories, or if every word of the phrase is among the words of its name,
 * categories or description. Each place is processed once for all phrases: a tile of 5,000 places
 * and 20 phrases takes a few milliseconds.
 */
export interface CompiledPhrases {
  readonly phrases: readonly PhraseMatches[];
  /** The phrases that find a place, as positions in `phrases`. */
  matching(place: Place): readonly number[];
}

/** Two words with this many letters in common count as one: plumber, plumbers, plumbing. */
const stemLength = 5;
const endingMax = 4;
const categoriesKnownMax = 10_000;

export function compilePhrases(
  phrases: readonly string[],
  matcher: PhraseMatcher,
): CompiledPhrases {
  const matches = phrases.map((phrase) => matcher.match(phrase));
  const words = phrases.map((phrase) => [...new Set(wordsOf(phrase))]);
  const byWord = new Map<string, PhraseBit[]>();
  const byStem = new Map<string, PhraseBit[]>();
  for (const [phrase, list] of words.entries()) {
    for (const [at, word] of list.entries()) {
      const entry: PhraseBit = { phrase, bit: 1 << at, word };
      push(byWord, word, entry);
      if (word.length >= stemLength) push(byStem, word.slice(0, stemLength), entry);
    }
  }
  const all = words.map((list) => (list.length > wordsMax ? 0 : (1 << list.length) - 1));
  const byTag = new Map<
    string,
    { readonly phrase: number; readonly others: readonly string[] }[]
  >();
  const byCategory = new Map<string, number[]>();
  for (const [phrase, { matches: found }] of matches.entries()) {
    for (const { source, tag, state } of found) {
      if (state !== "used") continue;
      if (source === "overture") push(byCategory, tag, phrase);
      else {
        const [first = "", ...others] = tag.split(" + ");
        push(byTag, first, { phrase, others });
      }
    }
  }

  /** Categories of any file: a few hundred different ones, each scored once. */
  const likeCategory = new Map<string, readonly number[]>();
  const phrasesOfCategory = (category: string): readonly number[] => {
    const known = likeCategory.get(category);
    if (known) return known;
    // `Klempner` matches plumber, though no word is the same: both mean one tag.
    const tags = usedTags(matcher.match(categoryText(category)));
    const found = matches.flatMap((match, at) =>
      byCategory.get(category)?.includes(at) ||
      [...usedTags(match)].some((tag) => tags.has(tag)) ||
      matcher.likeCategory(match.phrase, category) >= usedScore
        ? [at]
        : [],
    );
    if (likeCategory.size >= categoriesKnownMax) likeCategory.clear();
    likeCategory.set(category, found);
    return found;
  };

  const seen = new Int32Array(phrases.length);
  return {
    phrases: matches,
    matching(place) {
      const found = new Set<number>();
      for (const tag of place.tags ?? []) {
        for (const { phrase, others } of byTag.get(tag) ?? []) {
          if (others.every((other) => place.tags!.includes(other))) found.add(phrase);
        }
      }
      for (const category of place.categories ?? []) {
        for (const phrase of phrasesOfCategory(category)) found.add(phrase);
      }
      seen.fill(0);
      const look = (text: string) => {
        for (const word of wordsOf(text)) {
          for (const { phrase, bit } of byWord.get(word) ?? []) seen[phrase]! |= bit;
          if (word.length < stemLength) continue;
          for (const entry of byStem.get(word.slice(0, stemLength)) ?? []) {
            if (isAkin(word, entry.word)) seen[entry.phrase]! |= entry.bit;
          }
        }
      };
      look(place.name);
      for (const category of place.categories ?? []) look(category);
      if (place.description !== undefined) look(place.description);
      for (let phrase = 0; phrase < all.length; phrase++) {
        if (all[phrase] !== 0 && seen[phrase] === all[phrase]) found.add(phrase);
      }
      return [...found].sort((a, b) => a - b);
    },
  };
}

const usedTags = ({ matches }: PhraseMatches): ReadonlySet<string> =>
  new Set(
    matches
      .filter(
        ({ source, state, score }) => source === "osm" && state === "used" && score >= sameTag,
      )
      .map(({ tag }) => tag),
  );

/** For a match through a third name, both parts must be more certain than a direct match. */
const sameTag = 0.85;

interface PhraseBit {
  readonly phrase: number;
  readonly bit: number;
  readonly word: string;
}

/** The limit of words in a phrase: one bit for each. */
const wordsMax = 30;

function isAkin(a: string, b: string): boolean {
  let common = 0;
  while (common < a.length && common < b.length && a[common] === b[common]) common += 1;
  return common >= stemLength && a.length - common <= endingMax && b.length - common <= endingMax;
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
