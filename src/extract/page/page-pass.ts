import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { marksOf } from "../text/marks.ts";
import { attributeKind, flags } from "./attribute-flags.ts";
import { kindOf, signOf, type ElementKind } from "./element-names.ts";
import { createHearers, type Hearers } from "./hearers.ts";
import { createLineBuilder } from "./line-builder.ts";
import type { Collector, Element } from "./page-events.ts";
import { createPlaces } from "./page-place.ts";
import { createStyleRules, noEffect } from "./style-rules.ts";

/**
 * One pass over a page for all collectors. It works on the tokens, not on htmlparser2's Parser: that
 * one moves its whole stack for every tag, and a page of a million nested tags took it minutes.
 * Always true: memory and time grow with the length of the page alone. At most `depthMax` elements
 * are open; those opened beyond are heard of, but what is in them counts to their parents.
 */
const depthMax = 256;
const attributesMax = 64;
const attributeCharsMax = 100_000;
const scriptCharsMax = 300_000;
/** So far up an end tag looks for its beginning. */
const closeReach = 64;

interface Frame extends Element {
  readonly kind: ElementKind;
  readonly isInArticle: boolean;
  readonly isInLink: boolean;
  readonly isBold: boolean;
  readonly hearers: Hearers;
}

const noAttributes: Record<string, string> = Object.freeze({});
const placingFlags = flags.names | flags.role;

export function readPage(html: string, collectors: readonly Collector[]): void {
  const liners = collectors.filter((collector) => collector.line);
  const texters = collectors.filter((collector) => collector.text);
  const scripters = collectors.filter((collector) => collector.script);
  const hearersOf = createHearers(collectors);
  const styles = createStyleRules();
  const places = createPlaces();
  const lines = createLineBuilder((line) => {
    for (const collector of liners) collector.line!(line);
  });
  const root: Frame = {
    kind: kindOf("#root"),
    name: "#root",
    attributes: {},
    isHidden: false,
    isReversed: false,
    hasData: false,
    where: "body",
    depth: 0,
    isInArticle: false,
    isInLink: false,
    isBold: false,
    hearers: hearersOf(kindOf("#root"), 0),
  };
  const stack: Frame[] = [root];
  let top = root;
  let depthOver = 0;
  let foreign = 0;

  let kind: ElementKind | undefined;
  let attributes = noAttributes;
  let attributeCount = 0;
  let attribute = "";
  let value = "";
  let found = 0;
  let raw = "";

  function openTag(isSelfClosed: boolean): void {
    if (!kind) return;
    const { name, closes } = kind;
    if (foreign > 0 && kind.breaksOut) while (foreign > 0) pop();
    if (closes) while (closes.has(top.name)) pop();
    const frame = frameOf(kind);
    if (kind.isBlock) {
      lines.end();
      lines.begin(kind);
    } else if (name !== "wbr") lines.seam();
    for (const collector of frame.hearers.open) collector.open!(frame);
    if (kind.isSign && attributes !== noAttributes && !frame.isHidden) {
      const sign = signOf(name, attributes);
      if (sign) lines.text(sign, top, marksOf(sign));
    }
    if (kind.isVoid || (isSelfClosed && foreign > 0)) {
      for (const collector of frame.hearers.close) collector.close!(frame);
      return;
    }
    if (stack.length > depthMax) {
      depthOver += 1;
      return;
    }
    if (kind.isDrawing) foreign += 1;
    raw = "";
    stack.push(frame);
    top = frame;
  }

  function frameOf(own: ElementKind): Frame {
    const { name } = own;
    const hasStyle =
      (found & flags.style) !== 0 || ((found & flags.names) !== 0 && styles.hasRules());
    const { isHidden, isReversed } = hasStyle ? styles.effectOf(name, attributes) : noEffect;
    const turns = isReversed || (name === "bdo" && /^rtl$/i.test(attributes["dir"] ?? ""));
    const isPlaced = own.isPlaced || (found & placingFlags) !== 0;
    return {
      kind: own,
      name,
      attributes,
      isHidden: top.isHidden || isHidden || name === "template",
      isReversed: top.isReversed || turns,
      hasData: (found & flags.data) !== 0,
      where: (isPlaced ? places.placeOf(own, attributes, top.isInArticle) : undefined) ?? top.where,
      depth: stack.length,
      isInArticle: top.isInArticle || name === "article" || name === "main",
      isInLink: top.isInLink || name === "a",
      isBold: top.isBold || own.isBold,
      hearers: hearersOf(own, found),
    };
  }

  function closeTag(written: string): void {
    const { name, isVoid, isBlock } = kindOf(written);
    if (name === "br") return lines.end();
    if (isVoid) return;
    if (depthOver > 0) {
      depthOver -= 1;
      return;
    }
    const deepest = Math.max(1, stack.length - closeReach);
    for (let at = stack.length - 1; at >= deepest; at--) {
      if (stack[at]!.name !== name) continue;
      while (stack.length > at) pop();
      return;
    }
    if (isBlock) lines.end();
  }

  function pop(): void {
    const frame = stack.pop()!;
    top = stack.at(-1) ?? root;
    if (frame.kind.isDrawing) foreign -= 1;
    else if (frame.name === "style") styles.add(raw);
    else if (frame.name === "script") giveScript(frame);
    if (frame.kind.isBlock) {
      lines.end();
      lines.begin(top.kind);
    } else lines.seam();
    for (const collector of frame.hearers.close) collector.close!(frame);
  }

  function giveScript(frame: Frame): void {
    const { type = "", id = "", language = "" } = frame.attributes;
    if (raw === "") return;
    const script = { type: (type || language).trim().toLowerCase(), id, text: raw };
    for (const collector of scripters) collector.script!(script);
  }

  function text(part: string): void {
    if (top.kind.text === "kept") {
      if (raw.length < scriptCharsMax) raw += part.slice(0, scriptCharsMax - raw.length);
      if (top.name === "title" && foreign === 0) titleText(part);
      return;
    }
    if (top.isHidden || top.kind.text === "unread" || foreign > 0) return;
    lines.text(part, top, marksOf(part));
    for (const collector of texters) collector.text!(part);
  }

  function titleText(part: string): void {
    for (const collector of collectors) collector.title?.(part);
  }

  const callbacks: TokenizerCallbacks = {
    onopentagname(start, end) {
      kind = end - start > 40 ? undefined : kindOf(html.slice(start, end));
      attributes = noAttributes;
      attributeCount = 0;
      found = 0;
    },
    onattribname(start, end) {
      const { name, flag } = attributeKind(end - start > 80 ? "" : html.slice(start, end));
      // Half of all attributes are classes that style sheets of other files ask for.
      const isForStyle = flag === flags.names && !kind?.isNamed && !styles.hasRules();
      attribute = isForStyle ? "" : name;
      value = "";
      found |= flag;
    },
    onattribdata(start, end) {
      if (attribute !== "" && value.length < attributeCharsMax)
        value += html.slice(start, Math.min(end, start + attributeCharsMax));
    },
    onattribentity(codepoint) {
      if (value.length < attributeCharsMax) value += String.fromCodePoint(codepoint);
    },
    onattribend() {
      if (attribute === "") return;
      if (attributes === noAttributes) attributes = {};
      if (attributes[attribute] !== undefined || ++attributeCount > attributesMax) return;
      attributes[attribute] = value;
    },
    onopentagend: () => openTag(false),
    onselfclosingtag: () => openTag(true),
    onclosetag(start, end) {
      const { name } = top;
      // Nearly always what was opened last.
      if (depthOver === 0 && end - start === name.length && html.startsWith(name, start)) pop();
      else closeTag(html.slice(start, Math.min(end, start + 40)));
    },
    ontext(start, end) {
      if (end > start) text(html.slice(start, end));
    },
    ontextentity: (codepoint) => text(String.fromCodePoint(codepoint)),
    oncdata: () => {},
    oncomment: () => {},
    ondeclaration: () => {},
    onprocessinginstruction: () => {},
    onend: () => {},
    isInForeignContext: () => foreign > 0,
  };

  const tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: true }, callbacks);
  tokenizer.write(html);
  tokenizer.end();
  while (stack.length > 1) pop();
  lines.end();
}
