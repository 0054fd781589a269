import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { marksWithin } from "../text/marks.ts";

/**
 * Character references ("&amp;", "&#64;", "&nbsp") as htmlparser2 reads them. A page has few different
 * ones, so each is read once and remembered.
 */
export function withoutReferences(text: string, where: "text" | "attribute"): string {
  return decodedText(text, where === "text" ? inText : inAttributes, { bits: 0 });
}

/** The same of a text whose marks are `marked.bits`: those of what it is then are added to them. */
export const withoutReferencesMarked = (text: string, marked: { bits: number }): string =>
  decodedText(text, inText, marked);

function decodedText(text: string, known: Known, marked: { bits: number }): string {
  let plain = "";
  let from = 0;
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", from)) {
    const end = referenceEnd(text, at);
    const one = decoded(text.slice(at, end), known);
    plain += text.slice(from, at) + one.plain;
    marked.bits |= one.bits;
    from = end;
  }
  return plain + text.slice(from);
}

interface Decoded {
  readonly plain: string;
  readonly bits: number;
}

interface Known {
  readonly decoded: Map<string, Decoded>;
  /** What stands around a reference for the tokenizer to take it for one of these. */
  readonly wrap: (reference: string) => string;
}

const inText: Known = { decoded: new Map(), wrap: (reference) => reference };
const inAttributes: Known = { decoded: new Map(), wrap: (reference) => `<a b="${reference}">` };
const knownMax = 1_000;
/** Longer than any name there is. */
const referenceCharsMax = 64;

/** All that may belong to it, and a sign that in attributes tells "&copy=1" from one. */
function referenceEnd(text: string, start: number): number {
  const limit = Math.min(text.length, start + referenceCharsMax);
  let end = start + 1;
  while (end < limit && isReferenceSign(text.charCodeAt(end))) end += 1;
  const next = text.charCodeAt(end);
  return next === semicolon || next === equals ? end + 1 : end;
}

function decoded(reference: string, { decoded: all, wrap }: Known): Decoded {
  const known = all.get(reference);
  if (known !== undefined) return known;
  let read = "";
  const written = wrap(reference);
  const part = (start: number, end: number) => void (read += written.slice(start, end));
  const sign = (codepoint: number) => void (read += String.fromCodePoint(codepoint));
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    { ...deaf, ontext: part, ontextentity: sign, onattribdata: part, onattribentity: sign },
  );
  tokenizer.write(written);
  tokenizer.end();
  // Its own copy: a part of the page's text would keep the whole page in memory.
  const one = { plain: read, bits: marksWithin(read) };
  if (all.size < knownMax) all.set(Buffer.from(reference).toString(), one);
  return one;
}

const nothing = (): void => {};
const deaf: TokenizerCallbacks = {
  onattribdata: nothing,
  onattribentity: nothing,
  onattribend: nothing,
  onattribname: nothing,
  oncdata: nothing,
  onclosetag: nothing,
  oncomment: nothing,
  ondeclaration: nothing,
  onend: nothing,
  onopentagend: nothing,
  onopentagname: nothing,
  onprocessinginstruction: nothing,
  onselfclosingtag: nothing,
  ontext: nothing,
  ontextentity: nothing,
};

const semicolon = 59;
const equals = 61;
const isReferenceSign = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 35;
