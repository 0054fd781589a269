import { phraseWords, type PhraseWord } from "./phrase-words.ts";

/**
 * How well a phrase and a text match, from 0 to about 1: the cosine of their words, each weighted
 * by its rarity among all texts of a language. Generic words count a fifth.
 */
export interface TextScorer {
  /** The best texts of each item, best first. */
  score(phrase: string): readonly Scored[];
}

export interface ScoredText {
  readonly item: number;
  readonly text: string;
  /** The weight of a match with this text: 1 for a name. */
  readonly worth: number;
  /** Whether it is a shop; undefined: unknown. */
  readonly isShop?: boolean | undefined;
}

export interface Scored extends ScoredText {
  readonly score: number;
  /** The phrase has the same words as the text, perhaps with other endings. */
  readonly isExact: boolean;
  /** The words are the same, letter by letter, except generic ones. */
  readonly hasSameWords: boolean;
}

interface IndexedText extends ScoredText {
  readonly words: readonly PhraseWord[];
  readonly spelling: string;
  readonly norm: number;
}

const genericWeight = 0.2;
const onlyGeneric = 0.3;
const headMissed = 0.8;
/** The phrase is about animals, and the text is not. */
const forOthers = 0.8;
/** The text says more than the phrase: a driving school is a school, but not the other way round. */
const narrower = 0.9;
/** "divorce lawyer" is a kind of lawyer: the head word and the whole name match. */
const kindOf = 0.78;
const surely = 0.9;
/**
 * The factor if the phrase says "store" and the text does not mean a shop, or the other way round.
 */
const otherSort = 0.85;
/**
 * The factor for a loose term: the phrase says "tree service", and "tree" is a term of garden
 * centres.
 */
const looseTerm = 0.92;
const termWorth = 0.8;
const likeWords = 0.66;
/** In these languages the first word is the head, in the others the last one. */
const headFirst: ReadonlySet<string> = new Set(["es", "fr", "it", "pt", "pl"]);

export function createTextScorer(texts: readonly ScoredText[], language: string): TextScorer {
  const items = new Map<string, Set<number>>();
  const split = texts.map((one) => ({ ...one, words: phraseWords(one.text, language) }));
  for (const { item, words } of split) {
    for (const { stem } of words) items.set(stem, (items.get(stem) ?? new Set()).add(item));
  }
  const itemCount = new Set(texts.map(({ item }) => item)).size;
  const weightOf = ({ stem, isGeneric }: PhraseWord): number =>
    (isGeneric ? genericWeight : 1) * Math.log(1 + itemCount / (1 + (items.get(stem)?.size ?? 0)));
  const normOf = (words: readonly PhraseWord[]) =>
    Math.sqrt(words.reduce((sum, word) => sum + weightOf(word) ** 2, 0));
  const indexed: readonly IndexedText[] = split.map((one) => ({
    ...one,
    norm: normOf(one.words),
    spelling: spellingOf(one.words),
  }));
  const byStem = new Map<string, number[]>();
  for (const [at, { words }] of indexed.entries()) {
    for (const { stem } of words) {
      const list = byStem.get(stem);
      if (list) list.push(at);
      else byStem.set(stem, [at]);
    }
  }
  const stems = [...byStem.keys()];

  /** Stems of texts that a word of the phrase may match, with the certainty of each. */
  const likenesses = (word: PhraseWord, isAlone: boolean): ReadonlyMap<string, number> => {
    const found = new Map<string, number>();
    if (byStem.has(word.stem)) return new Map([[word.stem, 1]]);
    for (const stem of stems) {
      if (found.has(stem)) continue;
      const likeness = likenessOf(word.stem, stem, isAlone && found.size === 0);
      if (likeness > 0) found.set(stem, likeness);
    }
    return found;
  };

  return {
    score(phrase) {
      const words = phraseWords(phrase, language);
      if (words.length === 0) return [];
      const phraseNorm = normOf(words);
      const ourSpelling = spellingOf(words);
      const telling = words.filter(({ isGeneric }) => !isGeneric);
      const head = (headFirst.has(language) ? telling[0] : telling.at(-1)) ?? words.at(-1)!;
      const hits = new Map<number, Hit>();
      for (const word of words) {
        for (const [stem, likeness] of likenesses(word, telling.length <= 1)) {
          for (const at of byStem.get(stem) ?? []) {
            const hit = hits.get(at) ?? newHit();
            if (hit.words.has(word)) continue;
            const theirs = indexed[at]!.words.find((one) => one.stem === stem)!;
            hit.words.add(word);
            hit.sum += weightOf(word) * weightOf(theirs) * likeness;
            hit.telling ||= !word.isGeneric && !theirs.isGeneric;
            hit.head ||= word === head;
            hit.stems.add(stem);
            if (likeness >= surely) hit.theirs.add(stem);
            hits.set(at, hit);
          }
        }
      }
      const best = new Map<number, Scored>();
      const kinds: Scored[] = [];
      for (const [at, hit] of hits) {
        const { item, text, worth, norm, spelling, words: theirs } = indexed[at]!;
        const cosine = hit.sum / (phraseNorm * norm || 1);
        const isEqual = hit.words.size === words.length && theirs.length === words.length;
        const isExact = isEqual && cosine > 0.98;
        const isForOthers = telling.some(
          (word) => !hit.words.has(word) && otherBeings.has(word.stem),
        );
        const isKindOf =
          hit.head &&
          worth > termWorth &&
          theirs.every(({ stem, isGeneric }) => isGeneric || hit.theirs.has(stem)) &&
          !isForOthers;
        const score =
          Math.min(1, cosine) *
          worth *
          (isExact ? 1.1 : 1) *
          (hit.telling || telling.length === 0 ? 1 : onlyGeneric) *
          (hit.head ? 1 : headMissed) *
          (isForOthers ? forOthers : 1) *
          (theirs.every(({ stem, isGeneric }) => isGeneric || hit.stems.has(stem)) ? 1 : narrower) *
          (isEqual ? 1 : sortsAgree(words, indexed[at]!));
        const hasSameWords = spelling === ourSpelling;
        const scored = { item, text, worth, score, isExact, hasSameWords };
        if (score > (best.get(item)?.score ?? 0)) best.set(item, scored);
        if (isKindOf) {
          const least = kindOf * worth * sortsAgree(words, indexed[at]!);
          if (least > score) kinds.push({ ...scored, score: least });
        }
      }
      const isSure = [...best.values()].some(({ score }) => score >= kindOf);
      for (const one of isSure ? [] : kinds) {
        if (one.score > (best.get(one.item)?.score ?? 0)) best.set(one.item, one);
      }
      return [...best.values()].sort((a, b) => b.score - a.score || a.item - b.item);
    },
  };
}

const spellingOf = (words: readonly PhraseWord[]): string =>
  words
    .filter(({ isGeneric }) => !isGeneric)
    .map(({ spelling }) => spelling)
    .sort()
    .join(" ");

interface Hit {
  sum: number;
  telling: boolean;
  head: boolean;
  readonly words: Set<PhraseWord>;
  /** Stems of the text that were matched by a certainly equal word. */
  readonly theirs: Set<string>;
  /** Stems of the text that were matched at all. */
  readonly stems: Set<string>;
}

/** Words for animals: a dog daycare is not for children, and an animal hospital not for people. */
const otherBeings: ReadonlySet<string> = new Set(
  "animal pet dog cat horse bird fish tier hund katze pferd perro gato chien chat cane hond".split(
    " ",
  ),
);

const shopWords: ReadonlySet<string> = new Set(
  (
    "shop shops store stores dealer dealers dealership supply supplies supplier boutique laden geschaft fachgeschaft " +
    "handel handler tienda loja negozio magasin winkel sklep"
  ).split(" "),
);
const workWords: ReadonlySet<string> = new Set(
  (
    "service services contractor contractors company companies installer installers installation agency " +
    "firm specialist engineer technician betrieb dienst werkstatt servicio taller empresa entreprise bedrijf"
  ).split(" "),
);
const saysOneOf = (words: readonly PhraseWord[], set: ReadonlySet<string>): boolean =>
  words.some(({ text }) => set.has(text));

function sortsAgree(words: readonly PhraseWord[], { worth, isShop, words: theirs }: IndexedText) {
  const [wantsShop, wantsWork] = [saysOneOf(words, shopWords), saysOneOf(words, workWords)];
  const isWork =
    isShop === false || (saysOneOf(theirs, workWords) && !saysOneOf(theirs, shopWords));
  if (wantsShop ? isWork : saysOneOf(theirs, shopWords)) return otherSort;
  return wantsWork && isShop === true && worth <= termWorth ? looseTerm : 1;
}

const newHit = (): Hit => ({
  sum: 0,
  telling: false,
  head: false,
  words: new Set(),
  theirs: new Set(),
  stems: new Set(),
});

/**
 * How alike two words are: one begins with the other, or a compound ends with it, or, for a phrase
 * of one word, they look alike.
 */
function likenessOf(word: string, stem: string, isAlone: boolean): number {
  const [short, long] = word.length < stem.length ? [word, stem] : [stem, word];
  if (joinedScript.test(short)) return isAlone && long.includes(short) ? shareOf(short, long) : 0;
  if (short.length >= 5 && long.startsWith(short) && long.length - short.length <= 3) return 0.88;
  if (!isAlone || short.length < 5) return 0;
  const dice = trigramDice(word, stem);
  return dice >= likeWords ? dice : 0;
}

const joinedScript = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{2,}$/u;

/** Japanese joins words: the longer the common part, the more certain the match. */
const shareOf = (short: string, long: string): number => Math.sqrt(short.length / long.length);

function trigramDice(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > Math.max(a.length, b.length) / 2) return 0;
  const [ours, theirs] = [trigramsOf(a), trigramsOf(b)];
  let common = 0;
  for (const one of ours) if (theirs.has(one)) common += 1;
  return (2 * common) / (ours.size + theirs.size);
}

const trigramCache = new Map<string, ReadonlySet<string>>();

function trigramsOf(word: string): ReadonlySet<string> {
  const known = trigramCache.get(word);
  if (known) return known;
  const padded = `^${word}$`;
  const found = new Set<string>();
  for (let at = 0; at + 3 <= padded.length; at++) found.add(padded.slice(at, at + 3));
  if (trigramCache.size < 50_000) trigramCache.set(word, found);
  return found;
}
