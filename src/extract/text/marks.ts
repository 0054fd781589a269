import { cueLetters, isCue, isWideCue } from "./cue-words.ts";
import { isOddBeyondAscii } from "./odd-characters.ts";

/**
 * The kinds of characters in a text, determined once. Each line of a page is tested a dozen times,
 * and for nearly every line all answers follow from the marks: no digit, no "@", no bracket.
 */
export const marks = {
  /** 0 to 9, or a wide form of these. */
  digit: 1,
  /** "@", or a wide form of it. */
  at: 2,
  colon: 4,
  /** Signs that enclose the words of an address: brackets, strokes, dashes. */
  bracket: 8,
  /** Any non-ASCII character. */
  wide: 16,
  /** Repeated spaces, or any other character that is not shown as it is. */
  odd: 32,
  /** Any character except spaces. */
  word: 64,
  /** A to Z. */
  capital: 128,
  /** "&": the text may contain references that have to be decoded. */
  reference: 256,
  /** A word that may begin one of cue-words.ts. */
  cue: 512,
} as const;

const marksMask = 4_095;
// Internal bits: whether the first and the last character are part of a word, for joining texts.
const beginsInWord = 1_024;
const endsInWord = 2_048;
// Bits of a single character: two spaces are odd, and cues are only searched at the start of a
// word.
const single = 4_096;
const oddFromSingle = 7;
const letter = 8_192;
const cueLetter = 16_384;
const digitsShift = 16;
const digitsMax = 255;

const byCode = new Uint16Array(128);
for (let code = 0; code < 128; code++) {
  const sign = String.fromCharCode(code);
  let bits: number = marks.word;
  if (/[a-z]/i.test(sign)) bits |= letter;
  if (cueLetters.includes(sign.toLowerCase())) bits |= cueLetter;
  if (/\d/.test(sign)) bits |= marks.digit;
  else if (/[A-Z]/.test(sign)) bits |= marks.capital;
  else if (sign === "@") bits |= marks.at;
  else if (sign === ":") bits |= marks.colon;
  else if (sign === "&") bits |= marks.reference;
  else if (/[[({<|*/_~-]/.test(sign)) bits |= marks.bracket;
  else if (sign === " ") bits = single;
  else if (/\s/.test(sign)) bits = marks.odd;
  else if (code < 32 || code === 127) bits |= marks.odd;
  byCode[code] = bits;
}

/** The marks of a text, with the number of its digits. */
export function marksOf(text: string): number {
  let bits = 0;
  let digits = 0;
  let before = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const own = code < 128 ? byCode[code]! : wideMarks(code);
    bits |= own | ((own & before & single) >> oddFromSingle);
    digits += own & marks.digit;
    if ((own & cueAfter(before)) !== 0)
      if (isCue(code, text.charCodeAt(at + 1), text.charCodeAt(at + 2))) bits |= marks.cue;
    before = own;
  }
  return whole(bits, digits, text.charCodeAt(0), before);
}

/** The marks of a part of a text: a letter may form a cue with its neighbours. */
export const marksWithin = (part: string): number => {
  const bits = marksOf(part) & marksMask & ~beginsInWord & ~endsInWord;
  return /[a-z]/i.test(part) ? bits | marks.cue : bits;
};

export interface TextEnd {
  at: number;
  /** The marks of everything before it. */
  bits: number;
}

/** Walks from `from` to the next "<" of a page, or to its end, and stores the result in `end`. */
export function findTextEnd(codes: Uint16Array, from: number, end: TextEnd): void {
  let bits = 0;
  let digits = 0;
  let before = 0;
  const { length } = codes;
  let at = from;
  for (; at < length; at++) {
    const code = codes[at]!;
    if (code === less) break;
    const own = code < 128 ? byCode[code]! : wideMarks(code);
    bits |= own | ((own & before & single) >> oddFromSingle);
    digits += own & marks.digit;
    if ((own & cueAfter(before)) !== 0)
      if (isCue(code, codes[at + 1] ?? 0, codes[at + 2] ?? 0)) bits |= marks.cue;
    before = own;
  }
  end.at = at;
  end.bits = whole(bits, digits, codes[from] ?? 0, before);
}

function whole(bits: number, digits: number, first: number, last: number): number {
  return (
    (bits & marksMask) |
    (first > 127 || ((first | 32) >= 97 && (first | 32) <= 122) ? beginsInWord : 0) |
    ((last & (letter | marks.wide)) === 0 ? 0 : endsInWord) |
    (Math.min(digits, digitsMax) << digitsShift)
  );
}

/** `cueLetter` after a non-letter. One test, because the processor would often mispredict two. */
const cueAfter = (before: number): number => (~before & letter) << 1;

const less = 60;
function wideMarks(code: number): number {
  const bits = marks.wide | marks.word;
  if (code === 0xff20 || code === 0xfe6b) return bits | marks.at;
  if (isWideCue(code)) return bits | marks.cue;
  if (code >= 0xff10 && code <= 0xff19) return bits | marks.digit;
  // Removing a character inside a word may create a cue.
  return isOddBeyondAscii(code) ? bits | marks.odd | marks.cue : bits;
}

export const noMarks = 0;
/** The marks of two texts joined without a space. */
export function joinedMarks(first: number, second: number): number {
  if (first === noMarks) return second;
  const isSplitWord = (first & endsInWord) !== 0 && (second & beginsInWord) !== 0;
  return (
    (first & (marksMask & ~endsInWord)) |
    (second & (marksMask & ~beginsInWord)) |
    (isSplitWord ? marks.cue : 0) |
    (Math.min(digitsIn(first) + digitsIn(second), digitsMax) << digitsShift)
  );
}

/** The number of digits, up to 255. */
export const digitsIn = (bits: number): number => bits >> digitsShift;
