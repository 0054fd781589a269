/** Runs of digits that look like telephone numbers, found in one pass over the text. */
export interface NumberFound {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly extension?: string;
}

const digitsMin = 6;
const charsMax = 32;
const numbersMax = 300;

export function findNumbers(text: string): readonly NumberFound[] {
  const found: NumberFound[] = [];
  let at = 0;
  while (at < text.length && found.length < numbersMax) {
    const code = text.charCodeAt(at);
    if (!isDigit(code) && code !== 43 && !(code === 40 && beginsNumber(text, at))) {
      at += 1;
      continue;
    }
    const end = numberEnd(text, at);
    if (countDigits(text, at, end) >= digitsMin && !isGlued(text, at, end)) {
      const body = text.slice(at, end);
      const extension = end < text.length ? extensionAfter(text, end) : undefined;
      found.push(
        extension === undefined
          ? { text: body, start: at, end }
          : { text: body, start: at, end, extension },
      );
    }
    at = Math.max(end, at + 1);
  }
  return found;
}

/** "(0", "(+": a bracket before the first digits. */
const beginsNumber = (text: string, at: number): boolean => {
  const next = text.charCodeAt(at + 1);
  return isDigit(next) || next === 43;
};

function numberEnd(text: string, start: number): number {
  let end = start;
  let separators = 0;
  for (let at = start; at < text.length && at - start < charsMax; at++) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) {
      // A plus sign begins another number; in "0171 123456 0172 …" nothing else would show it.
      end = at + 1;
      separators = 0;
    } else if (code === 43) {
      if (at > start && !(at === start + 1 && text[start] === "(")) break;
    } else if (isSeparator(code)) {
      separators += 1;
      // "089 / 123", "089 - 123", "(0) 89": more than three separators in a row are layout, not one
      // number.
      if (separators > 3) break;
      if (code === 47 && text.charCodeAt(at - 1) === 32 && startsNewNumber(text, start, at)) break;
    } else break;
  }
  return end;
}

/** After " / ": a number with its own prefix, or one as long as the number before. */
const startsNewNumber = (text: string, start: number, slash: number): boolean => {
  const rest = text.slice(slash + 1, slash + 25).trimStart();
  if (/^(?:\+|\(?0)[\d ().-]{6,}/.test(rest)) return true;
  const next = /^\(?\d[\d ().-]{7,}/.exec(rest)?.[0];
  if (next === undefined) return false;
  return countDigits(next, 0, next.length) > 7 && countDigits(text, start, slash) > 7;
};

/** Letters, signs or decimals next to it: an id, a price, a coordinate, a date. */
function isGlued(text: string, start: number, end: number): boolean {
  const before = text[start - 1] ?? " ";
  const after = text[end] ?? " ";
  // Most numbers have spaces around them.
  if (before === " " && after === " ") return false;
  if (/[\p{L}\p{N}_@=$€£#%]/u.test(before) && !isWideBreak(before)) return true;
  if (/[.,]/.test(before) && /\d/.test(text[start - 2] ?? "")) return true;
  if (/[_@=€$£%°]/.test(after)) return true;
  if (/[\p{L}]/u.test(after) && !isWideBreak(after))
    return !/^(?:x|ext)/i.test(text.slice(end, end + 3));
  return /[.,]/.test(after) && /\d/.test(text[end + 1] ?? "");
}

/** Characters of scripts that are written without spaces. */
const isWideBreak = (sign: string): boolean =>
  /[\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7af\uff00-\uffef]/.test(sign);

function extensionAfter(text: string, end: number): string | undefined {
  return /^\s{0,2}[,;]?\s{0,2}(?:x|ext\.?|extension|durchwahl|dw|apdo|poste|int\.?|anexo|ramal)\s{0,2}[.:]?\s{0,2}(\d{1,6})(?!\d)/i.exec(
    text.slice(end, end + 30),
  )?.[1];
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
/** space ( ) . - / and typographic dashes */
const isSeparator = (code: number): boolean =>
  code === 32 ||
  code === 40 ||
  code === 41 ||
  code === 45 ||
  code === 46 ||
  code === 47 ||
  (code >= 0x2010 && code <= 0x2015) ||
  code === 0x2212;

function countDigits(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (isDigit(text.charCodeAt(at))) count += 1;
  return count;
}
