/**
 * What kinds of signs are in a text, found once. A line of a page is asked a dozen questions, and
 * nearly every line has the same answer to all of them: there is no digit, no "@" and no bracket in it.
 */
export const marks = {
  digit: 1,
  at: 2,
  colon: 4,
  /** What addresses in words stand in: brackets, strokes, dashes. */
  bracket: 8,
  /** Beyond ASCII, where anything may be. */
  wide: 16,
  /** Space that is not a single one, or a control character. */
  odd: 32,
  /** Anything but space. */
  word: 64,
} as const;

const marksMask = 127;
const digitsShift = 8;
const digitsMax = 255;

const byCode = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const sign = String.fromCharCode(code);
  let bits: number = marks.word;
  if (/\d/.test(sign)) bits |= marks.digit;
  else if (sign === "@") bits |= marks.at;
  else if (sign === ":") bits |= marks.colon;
  else if (/[[({<|*/_~-]/.test(sign)) bits |= marks.bracket;
  else if (sign === " ") bits = 0;
  else if (/\s/.test(sign)) bits = marks.odd;
  else if (code < 32 || code === 127) bits |= marks.odd;
  byCode[code] = bits;
}

/** Anything but words, single spaces and what stands in sentences: faster to look for than to walk. */
const special = /[^a-zA-Z .,;!?'"&%+$#=)]| {2}/;

/** The marks of a text, with the number of its digits. */
export function marksOf(text: string): number {
  const from = text.search(special);
  if (from === -1) return text === " " || text === "" ? noMarks : marks.word;
  let bits = from > 1 || (from === 1 && text.charCodeAt(0) !== 32) ? marks.word : 0;
  let digits = 0;
  let before = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) {
      bits |= marks.wide | marks.word;
    } else {
      const own = byCode[code]!;
      bits |= own;
      digits += own & marks.digit;
      if (code === 32 && before === 32) bits |= marks.odd;
    }
    before = code;
  }
  return bits | (Math.min(digits, digitsMax) << digitsShift);
}

export const noMarks = 0;
export const joinedMarks = (first: number, second: number): number =>
  ((first | second) & marksMask) |
  (Math.min(digitsIn(first) + digitsIn(second), digitsMax) << digitsShift);

/** ASCII digits, up to 255. */
export const digitsIn = (bits: number): number => bits >> digitsShift;
