import { categoryText, overtureCategories } from "./overture-categories.ts";
import { osmPresets, type Preset } from "./preset-index.ts";
import { createTextScorer, type Scored, type ScoredText, type TextScorer } from "./score-texts.ts";

/** A tag or category that a phrase matches, for one type of source. */
export interface TagMatch {
  readonly source: "osm" | "overture";
  /**
   * `craft=plumber`, or `amenity=restaurant + cuisine=pizza` if both are needed; for Overture a
   * category.
   */
  readonly tag: string;
  /** 0 to 1. */
  readonly score: number;
  /**
   * "used": places are found by it. "proposed": it is shown, and used only if the campaign's config
   * names it.
   */
  readonly state: "used" | "proposed";
  /** The reason: the text that matches the phrase. */
  readonly because: string;
}

export interface PhraseMatches {
  readonly phrase: string;
  /** The best first. If there are none, only names are searched. */
  readonly matches: readonly TagMatch[];
}

/** By phrase: tags from a campaign's config. A list in it replaces ours. */
export type TagOverrides = ReadonlyMap<
  string,
  { readonly osm?: readonly string[]; readonly overture?: readonly string[] }
>;

export interface PhraseMatcherOptions {
  /**
   * Languages in addition to English. If none are given, all languages are tried when English finds
   * nothing.
   */
  readonly languages?: readonly string[];
  readonly overrides?: TagOverrides;
}

export interface PhraseMatcher {
  match(phrase: string): PhraseMatches;
  /** How well a phrase matches a category of any file, 0 to 1. */
  likeCategory(phrase: string, category: string): number;
}

/** The languages of the presets. */
export const phraseLanguages = (): readonly string[] => osmPresets().languages;

/**
 * Part of every witness. Increase it when the matcher changes: then tiles may have places that were
 * not found before.
 */
export const matcherVersion = 2;
export const usedScore = 0.75;
export const proposedScore = 0.55;
const nearBest = 0.85;
/** Beside a text with the same words, one with other words is another trade: a gardener is no garden centre. */
const nearExact = 0.95;
const presetsMax = 4;
const worths = [1, 0.97, 0.8];
const tagWorth = 0.95;
/** A match through another source's name is less certain. */
const bridgeWorth = 0.9;
const strangerWorth = 0.97;
const partWorth = 0.97;

export function createPhraseMatcher(options: PhraseMatcherOptions = {}): PhraseMatcher {
  const { languages = [], overrides = new Map() } = options;
  const osm = (phrase: string): readonly TagMatch[] => {
    const { presets } = osmPresets();
    return acceptPresets(presets, bestOf(phrase, languages)).flatMap(({ item, score, text }) =>
      presets[item]!.tags.map((tags) => matchOf("osm", tags.join(" + "), score, text)),
    );
  };
  const overture = (phrase: string, inOsm: readonly TagMatch[]): readonly TagMatch[] => {
    const direct = overtureScorer().score(phrase);
    const best = inOsm.find(({ state }) => state === "used");
    const englishName = best ? englishNameOf(best.tag) : "";
    const bridged = (englishName === "" ? [] : overtureScorer().score(englishName)).map((one) => ({
      ...one,
      score: one.score * bridgeWorth * (best?.score ?? 1),
    }));
    const merged = new Map<number, Scored>();
    for (const one of [...direct, ...bridged]) {
      if (one.score > (merged.get(one.item)?.score ?? 0)) merged.set(one.item, one);
    }
    const ranked = [...merged.values()].sort((a, b) => b.score - a.score || a.item - b.item);
    return nearTheBest(ranked).map(({ item, score, text }) =>
      matchOf("overture", overtureCategories[item]!, score, text),
    );
  };
  const chosen = (source: TagMatch["source"], tags: readonly string[]) =>
    tags.map((tag) => matchOf(source, tag, 1, "the campaign's config"));

  return {
    match(phrase) {
      const over = overrides.get(phrase);
      const inOsm = over?.osm ? chosen("osm", over.osm) : osm(phrase);
      const inOverture = over?.overture
        ? chosen("overture", over.overture)
        : overture(phrase, inOsm);
      return { phrase, matches: [...inOsm, ...inOverture] };
    },
    likeCategory(phrase, category) {
      const text = categoryText(category);
      const scorers = [...new Set(["en", ...languages])];
      const scores = scorers.map((language) => {
        const scorer = createTextScorer([{ item: 0, text, worth: 1 }], language);
        return scorer.score(phrase)[0]?.score ?? 0;
      });
      return Math.min(1, Math.max(...scores));
    },
  };
}

function matchOf(
  source: TagMatch["source"],
  tag: string,
  score: number,
  because: string,
): TagMatch {
  const rounded = Math.round(Math.min(1, score) * 100) / 100;
  return { source, tag, score: rounded, state: score >= usedScore ? "used" : "proposed", because };
}

const scorers = new Map<string, TextScorer>();

function scorerOf(language: string): TextScorer {
  const known = scorers.get(language);
  if (known) return known;
  const made = createTextScorer(presetTexts(language), language);
  scorers.set(language, made);
  return made;
}

let overture: TextScorer | undefined;
const overtureScorer = (): TextScorer => (overture ??= createTextScorer(overtureTexts(), "en"));

/**
 * A category such as `key_and_locksmith` is also called by each of its parts, if the part has a
 * word that no other category has.
 */
function overtureTexts(): readonly ScoredText[] {
  const texts = overtureCategories.map(categoryText);
  const times = new Map<string, number>();
  for (const word of texts.flatMap((text) => [...new Set(text.split(" "))])) {
    times.set(word, (times.get(word) ?? 0) + 1);
  }
  return texts.flatMap((text, item): ScoredText[] => {
    const parts = text.includes(" and ") ? text.split(" and ") : [];
    const own = parts.filter((part) => part.split(" ").some((word) => times.get(word) === 1));
    return [text, ...own].map((one, at) => ({ item, text: one, worth: at === 0 ? 1 : partWorth }));
  });
}

function presetTexts(language: string): readonly ScoredText[] {
  return osmPresets().presets.flatMap(({ tags, texts }, item): ScoredText[] => {
    const lists = texts[language] ?? [];
    const isShop = tags.some(([tag = ""]) => /^(?:shop|craft)=/.test(tag))
      ? !tags.some(([tag = ""]) => tag.startsWith("craft=")) || undefined
      : false;
    const named = lists.flatMap((list, level) =>
      list.map((text) => ({ item, text, worth: worths[level] ?? 0.8, isShop })),
    );
    if (language !== "en") return named;
    const values = tags.map((set) => categoryText(set.at(-1)!.split("=")[1] ?? ""));
    return [...named, ...values.map((text) => ({ item, text, worth: tagWorth, isShop }))];
  });
}

/** The best score of each preset, in English and the given languages. */
function bestOf(phrase: string, languages: readonly string[]): readonly Scored[] {
  const asked = [...new Set(["en", ...languages])].filter((one) =>
    osmPresets().languages.includes(one),
  );
  const found = bestIn(phrase, asked, 1);
  if (languages.length > 0 || (found[0]?.score ?? 0) >= usedScore) return found;
  const others = osmPresets().languages.filter((one) => one !== "en");
  const all = [...found, ...bestIn(phrase, others, strangerWorth)];
  return bestPerItem(all);
}

const bestIn = (phrase: string, languages: readonly string[], worth: number): readonly Scored[] =>
  bestPerItem(
    languages.flatMap((language) =>
      scorerOf(language)
        .score(phrase)
        .slice(0, 40)
        .map((one) => ({ ...one, score: one.score * worth })),
    ),
  );

function bestPerItem(scored: readonly Scored[]): readonly Scored[] {
  const best = new Map<number, Scored>();
  for (const one of scored) {
    if (one.score > (best.get(one.item)?.score ?? 0)) best.set(one.item, one);
  }
  return [...best.values()].sort((a, b) => b.score - a.score || a.item - b.item);
}

function nearTheBest(ranked: readonly Scored[]): readonly Scored[] {
  const [best] = ranked;
  if (!best) return [];
  const leastOf = ({ hasSameWords }: Scored) =>
    Math.max(proposedScore, best.score * (best.isExact && !hasSameWords ? nearExact : nearBest));
  return ranked.filter((one) => one.score >= leastOf(one)).slice(0, presetsMax);
}

/**
 * Removes presets that are special cases of an accepted one, because that one finds their places
 * too.
 */
function acceptPresets(presets: readonly Preset[], ranked: readonly Scored[]): readonly Scored[] {
  const near = nearTheBest(ranked);
  return near.filter(({ item }) => {
    const own = presets[item]!.tags[0]!;
    return !near.some(({ item: other }) => {
      const [tags = []] = presets[other]!.tags;
      return other !== item && tags.length < own.length && tags.every((tag) => own.includes(tag));
    });
  });
}

function englishNameOf(tag: string): string {
  const preset = osmPresets().presets.find(({ tags }) =>
    tags.some((set) => set.join(" + ") === tag),
  );
  return preset?.texts["en"]?.[0]?.[0] ?? "";
}
