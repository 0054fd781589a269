/**
 * Text in the form in which it is compared: without case, accents and the marks that people leave
 * out when they type. Letters of all scripts are kept, so different words never become equal.
 */
export function folded(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const apart = text.normalize("NFKD").toLowerCase().normalize("NFKD").replaceAll(leftOutMarks, "");
  if (isAscii(apart)) return apart;
  return apart
    .normalize("NFC")
    .replaceAll(oneOfTwo, (char) => letters[char] ?? char)
    .replaceAll(/[\u30a1-\u30f6]/g, toHiragana);
}

/** Most text is ASCII and needs no further processing. */
// oxlint-disable-next-line no-control-regex -- these are the characters that are meant
export const isAscii = (text: string): boolean => /^[\u0000-\u007f]*$/.test(text);

/**
 * Accents of Latin, Greek and Cyrillic, Hebrew points, Arabic vowel signs and the Arabic stretch. Not
 * all of \p{M}: in Thai, Devanagari and kana a mark makes another sound, and so another word.
 */
const leftOutMarks =
  // oxlint-disable-next-line no-misleading-character-class -- it matches single marks on purpose
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]/g;

/** Letters that people type in two ways, with the ASCII form. */
const letters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
  ς: "σ",
  ى: "ي",
  ی: "ي",
  ک: "ك",
  ة: "ه",
};
const oneOfTwo = new RegExp(`[${Object.keys(letters).join("")}]`, "g");

const toHiragana = (char: string): string => String.fromCharCode(char.charCodeAt(0) - 0x60);

const wordLengthMax = 64;

/** Runs of letters and digits of any script. */
export function wordsOf(text: string): readonly string[] {
  const plain = folded(text);
  const found = plain.match(isAscii(plain) ? /[a-z0-9]+/g : /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu);
  return (found ?? []).map((word) => (word.length > wordLengthMax ? cut(word) : word));
}

/** Does not cut a surrogate pair in half. */
const cut = (word: string): string => word.slice(0, wordLengthMax).replace(/[\ud800-\udbff]$/, "");
