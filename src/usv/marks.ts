/**
 * The marks of USV. Each has two equivalent forms: a control character, and its visible symbol. We
 * write the control characters. A separator *ends* the text before it.
 */
export const unitEnd = "\u001f";
export const recordEnd = "\u001e";
export const escape = "\u001b";

export type Mark = "unit" | "record" | "group" | "file" | "escape" | "end";

const marksByCode: ReadonlyMap<number, Mark> = new Map([
  [0x1f, "unit"],
  [0x1e, "record"],
  [0x1d, "group"],
  [0x1c, "file"],
  [0x1b, "escape"],
  [0x04, "end"],
]);

/** The distance from a control character to its symbol: ␟ is U+241F. */
const symbolsFrom = 0x2400;

export function markOf(code: number): Mark | undefined {
  return marksByCode.get(code >= symbolsFrom ? code - symbolsFrom : code);
}

/** True if a code may be a mark or a spacer; all others are skipped without further checks. */
export const mayMatter = (code: number): boolean =>
  code < 0x20 || (code >= 0x2404 && code <= 0x241f);

export const isSpacer = (code: number): boolean => code === 0x0a || code === 0x0d;
