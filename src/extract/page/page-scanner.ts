import { findTextEnd, joinedMarks, marks, marksOf } from "../text/marks.ts";
import { attributeKind, flags, type AttributeKind } from "./attribute-flags.ts";
import { kindOf, type ElementKind } from "./element-names.ts";
import { createNameCache } from "./name-cache.ts";
import { withoutReferences, withoutReferencesMarked } from "./references.ts";

/**
 * Finds the tags and texts of a page by the rules of the HTML standard. A test compares it with
 * htmlparser2's tokenizer. That tokenizer runs a state machine for each character, which took a
 * third of the time of a page; this scanner searches for the end of each item, and makes strings
 * only of what a collector needs.
 *
 * Every character is looked at a fixed number of times. A tag that the end of the page cuts off is
 * ignored.
 */
export interface PageHandler {
  open(tag: Tag): void;
  /** `kind`: the kind of the end tag's name. */
  close(kind: ElementKind): void;
  /** `bits`: the marks of the text. A text of spaces only comes as a single one. */
  text(part: string, bits: number): void;
  /** The content of a script, a style, a title …: plain text, even if it looks like markup. */
  raw(part: string): void;
  /** Whether the position is inside an SVG, where a title or a style is an ordinary element. */
  isInDrawing(): boolean;
  /** Whether class and id of all elements are needed. */
  asksForNames(): boolean;
}

/** One object is reused for all tags of a page: it is only valid during the call. */
export interface Tag {
  readonly kind: ElementKind;
  /** Only the relevant ones: see attribute-flags.ts. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The flags of its attributes. */
  readonly found: number;
  readonly isSelfClosed: boolean;
}

export const noAttributes: Readonly<Record<string, string>> = Object.freeze({});
const bracketMarks = marksOf("<");
const attributesMax = 64;
const attributeCharsMax = 100_000;
const nameCharsMax = 40;

const spaceSigns = " \n\t\r\f";
const elements = createNameCache(kindOf, `${spaceSigns}/>`);
const attributeNames = createNameCache(attributeKind, `${spaceSigns}/>=`);

export function scanPage(html: string, handler: PageHandler): void {
  const codes = codesOf(html);
  const { length } = html;
  const tag = { kind: kindOf(""), attributes: noAttributes, found: 0, isSelfClosed: false };
  const textEnd = { at: 0, bits: 0 };
  let attributeCount = 0;

  /** Called at a "<". */
  function markup(at: number): number {
    const next = at + 1 < length ? codes[at + 1]! : 0;
    if (isLetter(next)) return openTag(at + 1);
    if (next === slash && at + 2 < length) return endTag(at + 2);
    if (next === exclamation) return afterDeclaration(codes, at + 2, length);
    if (next === question) return afterNext(codes, greater, at + 2, length);
    return text(at, true);
  }

  /** A "<" that begins no markup is the first character of a text. */
  function text(from: number, isBracket: boolean): number {
    findTextEnd(codes, isBracket ? from + 1 : from, textEnd);
    const { at } = textEnd;
    if (isBracket) textEnd.bits = joinedMarks(bracketMarks, textEnd.bits);
    if ((textEnd.bits & marks.reference) !== 0) {
      const part = withoutReferencesMarked(html.slice(from, at), textEnd);
      handler.text(part, textEnd.bits);
    } else {
      const { bits } = textEnd;
      handler.text((bits & marks.word) === 0 ? " " : html.slice(from, at), bits);
    }
    return at;
  }

  function endTag(start: number): number {
    const first = codes[start]!;
    if (!isLetter(first))
      return first === greater ? start + 1 : afterNext(codes, greater, start, length);
    const kind = elements.read(codes, start);
    const { end } = elements;
    if (end === length) return length;
    handler.close(kind);
    return codes[end] === greater ? end + 1 : afterNext(codes, greater, end, length);
  }

  function openTag(start: number): number {
    const kind = elements.read(codes, start);
    const { end } = elements;
    const raw = handler.isInDrawing() ? "none" : kind.raw;
    tag.kind = kind;
    tag.attributes = noAttributes;
    tag.found = 0;
    tag.isSelfClosed = false;
    attributeCount = 0;
    const after = attributesFrom(end);
    // The tag is cut off by the end of the page: ignore it.
    if (after === 0) return length;
    if (end - start <= nameCharsMax) handler.open(tag);
    return raw === "none" ? after : rawText(after, kind);
  }

  /** The position after the tag, or 0 if it never ends. */
  function attributesFrom(start: number): number {
    let at = start;
    while (at < length) {
      const code = codes[at]!;
      if (code === greater) return at + 1;
      if (code === slash) {
        do at += 1;
        while (at < length && isSpace(codes[at]!));
        if (codes[at] === greater) tag.isSelfClosed = true;
      } else if (isSpace(code)) at += 1;
      else at = attribute(at);
    }
    return 0;
  }

  function attribute(start: number): number {
    // An "=" at the start belongs to the name.
    const kind = attributeNames.read(codes, start);
    tag.found |= kind.flag;
    let at = attributeNames.end;
    while (at < length && isSpace(codes[at]!)) at += 1;
    if (at === length || codes[at] !== equals) {
      keep(kind, at, at, false);
      return at;
    }
    do at += 1;
    while (at < length && isSpace(codes[at]!));
    let hasReference = false;
    const quote = codes[at];
    if (quote === doubleQuote || quote === singleQuote) {
      let to = at + 1;
      for (; to < length && codes[to] !== quote; to++)
        if (codes[to] === ampersand) hasReference = true;
      keep(kind, at + 1, to, hasReference);
      return to + 1;
    }
    let to = at;
    for (; to < length && codes[to] !== greater && !isSpace(codes[to]!); to++)
      if (codes[to] === ampersand) hasReference = true;
    keep(kind, at, to, hasReference);
    return to;
  }

  function keep(kind: AttributeKind, from: number, to: number, hasReference: boolean): void {
    const { name, flag } = kind;
    if (name === "") return;
    // Half of all attributes are classes that only external style sheets use.
    if (flag === flags.names && !tag.kind.isNamed && !handler.asksForNames()) return;
    if (tag.attributes === noAttributes) tag.attributes = {};
    const attributes = tag.attributes as Record<string, string>;
    if (attributes[name] !== undefined || ++attributeCount > attributesMax) return;
    const value = html.slice(from, Math.min(to, from + attributeCharsMax));
    attributes[name] = hasReference ? withoutReferences(value, "attribute") : value;
  }

  /** Up to the matching end tag, or to the end of the page. */
  function rawText(start: number, { name, raw }: ElementKind): number {
    const end = raw === "rest" ? length : rawEnd(html, codes, start, name);
    if (end > start) {
      const part = html.slice(start, end);
      handler.raw(
        raw === "references" && part.includes("&") ? withoutReferences(part, "text") : part,
      );
    }
    return end;
  }

  let at = 0;
  while (at < length) at = codes[at] === less ? markup(at) : text(at, false);
}

/** Reused for all pages: allocating that much memory takes longer than filling it. */
let scratch = Buffer.alloc(0);
const scratchBytesMax = 1 << 20;

function codesOf(html: string): Uint16Array {
  const bytes = html.length * 2;
  const isLong = bytes > scratchBytesMax;
  if (!isLong && bytes > scratch.length)
    scratch = Buffer.alloc(Math.min(bytes * 2, scratchBytesMax));
  const buffer = isLong ? Buffer.alloc(bytes) : scratch;
  buffer.write(html, "utf16le");
  return new Uint16Array(buffer.buffer, buffer.byteOffset, html.length);
}

/** Called after "<!". */
function afterDeclaration(codes: Uint16Array, start: number, length: number): number {
  if (codes[start] === dash && codes[start + 1] === dash) {
    return afterComment(codes, start + 2, length);
  }
  if (!cdata.every((code, at) => codes[start + at] === code)) {
    return afterNext(codes, greater, start, length);
  }
  for (let at = start + cdata.length; at + 2 < length; at++) {
    if (
      codes[at] === closingBracket &&
      codes[at + 1] === closingBracket &&
      codes[at + 2] === greater
    )
      return at + 3;
  }
  return length;
}

/** "-->", "--!>", or an empty comment: "<!-->", "<!--->". */
function afterComment(codes: Uint16Array, start: number, length: number): number {
  if (codes[start] === greater) return start + 1;
  if (codes[start] === dash && codes[start + 1] === greater) return start + 2;
  for (let at = start + 2; at < length; at++) {
    if (codes[at] !== greater) continue;
    const last = codes[at - 1] === exclamation ? at - 2 : at - 1;
    if (last > start && codes[last] === dash && codes[last - 1] === dash) return at + 1;
  }
  return length;
}

function rawEnd(html: string, codes: Uint16Array, start: number, name: string): number {
  for (let at = html.indexOf("</", start); at !== -1; at = html.indexOf("</", at + 2)) {
    const end = at + 2 + name.length;
    if (end < codes.length && endsName(codes[end]!) && isNamed(codes, at + 2, name)) return at;
  }
  return codes.length;
}

function isNamed(codes: Uint16Array, start: number, name: string): boolean {
  for (let at = 0; at < name.length; at++)
    if ((codes[start + at]! | 32) !== name.charCodeAt(at)) return false;
  return true;
}

function afterNext(codes: Uint16Array, code: number, from: number, length: number): number {
  let at = from;
  while (at < length && codes[at] !== code) at += 1;
  return at + 1;
}

const less = 60;
const greater = 62;
const slash = 47;
const equals = 61;
const exclamation = 33;
const ampersand = 38;
const question = 63;
const dash = 45;
const closingBracket = 93;
const doubleQuote = 34;
const singleQuote = 39;
const cdata = Array.from("[CDATA[", (sign) => sign.charCodeAt(0));

const isLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122;
const isSpace = (code: number): boolean => code === 32 || (code <= 13 && code >= 9 && code !== 11);
const endsName = (code: number): boolean => code === greater || code === slash || isSpace(code);
