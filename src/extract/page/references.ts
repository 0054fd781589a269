import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { marksWithin } from "../text/marks.ts";

/**
 * Decodes character references ("&amp;", "&#64;", "&nbsp") as htmlparser2 does. A page has few
 * different ones, so each is decoded once and cached.
 */
export function withoutReferences(text: string, where: "text" | "attribute"): string {
  return decodedText(text, where === "text" ? inText : inAttributes, { bits: 0 });
}

/** The same for a text with the marks `marked.bits`: adds the marks of the decoded text to them. */
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
  /** Adds the context in which the tokenizer accepts the reference. */
  readonly wrap: (reference: string) => string;
}

const inText: Known = { decoded: new Map(), wrap: (reference) => reference };
const inAttributes: Known = { decoded: new Map(), wrap: (reference) => `<a b="${reference}">` };
const knownMax = 1_000;
/** Longer than every known name. */
const referenceCharsMax = 64;

/**
 * The end of the reference, including the character that decides in attributes whether "&copy=1" is
 * one.
 */
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
  // Store a copy: a slice would keep the text of the whole page in memory.
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
