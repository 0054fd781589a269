type Range = readonly [first: number, last: number];

/** Zero-width characters, soft hyphens, variation selectors, marks of the writing direction. */
export const invisibleRanges: readonly Range[] = [
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180e],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
];
/** Control characters, including U+001F, which separates fields in our files, and all spaces. */
export const spaceRanges: readonly Range[] = [
  [0, 0x20],
  [0x7f, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
];
const surrogates: Range = [0xd800, 0xdfff];

/** Non-ASCII characters, in order, that are not shown as they are. Surrogates may be unpaired. */
const oddRanges: readonly Range[] = [...invisibleRanges, ...spaceRanges.slice(1), surrogates].sort(
  ([first], [second]) => first - second,
);

export function isOddBeyondAscii(code: number): boolean {
  // Accented letters, the most frequent case.
  if (code < 0x300) return code <= 0xa0 || code === 0xad;
  for (const [first, last] of oddRanges) if (code <= last) return code >= first;
  return false;
}

export function classOf(ranges: readonly Range[]): string {
  const code = (value: number) => `\\u${value.toString(16).padStart(4, "0")}`;
  return ranges.map(([first, last]) => `${code(first)}-${code(last)}`).join("");
}
