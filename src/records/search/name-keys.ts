import { isAscii, wordsOf } from "../../base/text/fold-text.ts";

/**
 * A key for comparing names or addresses in any script: two texts have the same key only if they
 * have the same words. A text without a word is its own key.
 */
export const keyOf = (text: string): string =>
  wordsOf(text.replaceAll(/['’`]/g, "").replaceAll("&", " and ")).join("-") ||
  text.normalize("NFKC").trim().toLowerCase();

/** The key for sorting records by name; equal keys are ordered by target. */
export const sortKeyOf = (name: string): string =>
  wordsOf(name)
    .join(" ")
    // Thai writes some vowels before the consonant by which a name is sorted.
    .replaceAll(/([\u0e40-\u0e44])([\u0e01-\u0e2e])/g, "$2$1") || name;

/** Scripts without spaces between words, and Korean, whose words are often joined. */
const joinedScripts = [
  ..."Han Hiragana Katakana Hangul Thai Lao Khmer Myanmar"
    .split(" ")
    .map((one) => `\\p{sc=${one}}`),
  "ー",
].join("");
const parts = new RegExp(`[${joinedScripts}]+|[^${joinedScripts}]+`, "gu");
const isJoinedScript = new RegExp(`^[${joinedScripts}]`, "u");

/**
 * The words by which a text can be found. In a script without spaces the word boundaries are
 * unknown, so every two neighbouring characters are a word, and the last one alone.
 */
export function indexWords(text: string): readonly string[] {
  const words = wordsOf(text);
  if (isAscii(text)) return words;
  return words.flatMap((word) => pieces(word, (chars) => [...pairsOf(chars), chars.at(-1)!]));
}

/** The required words, each as a prefix of one of `indexWords`. */
export function queryWords(text: string): readonly string[] {
  const words = wordsOf(text);
  if (isAscii(text)) return words;
  return words.flatMap((word) =>
    pieces(word, (chars) => (chars.length === 1 ? chars : pairsOf(chars))),
  );
}

/** `Müller` is searched as `muller` and as `mueller`. */
export function typedWords(text: string): readonly string[] {
  const words = indexWords(text);
  if (isAscii(text)) return words;
  const composed = text.normalize("NFC");
  if (!/[äöüÄÖÜ]/.test(composed)) return words;
  const spelled = composed.replaceAll(/[äöü]/gi, (char) => `${char.normalize("NFD")[0]}e`);
  return [...words, ...indexWords(spelled)];
}

function pieces(
  word: string,
  ofJoined: (chars: readonly string[]) => readonly string[],
): readonly string[] {
  return (word.match(parts) ?? []).flatMap((part) =>
    isJoinedScript.test(part) ? ofJoined(Array.from(part)) : [part],
  );
}

const pairsOf = (chars: readonly string[]): readonly string[] =>
  chars.slice(1).map((char, at) => chars[at]! + char);
