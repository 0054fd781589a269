import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { attributeKind, flags, heardFlags } from "./attribute-flags.ts";
import type { Collector, Element } from "./page-events.ts";
import { createLineBuilder } from "./line-builder.ts";
import { kindOf, signOf, type ElementKind } from "./element-names.ts";
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
  /** Collectors heard of it, and will hear of its end. */
  readonly isHeard: boolean;
}

const noAttributes: Record<string, string> = Object.freeze({});
/** The first few elements are heard of in any case: a page that scripts fill has nothing else. */
const heardDepthMax = 5;

export function readPage(html: string, collectors: readonly Collector[]): void {
  const openers = collectors.filter((collector) => collector.open);
  const closers = collectors.filter((collector) => collector.close);
  const liners = collectors.filter((collector) => collector.line);
  const texters = collectors.filter((collector) => collector.text);
  const scripters = collectors.filter((collector) => collector.script);
  const styles = createStyleRules();
  const places = createPlaces();
  const lines = createLineBuilder((line) => liners.forEach((collector) => collector.line!(line)));
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
    isHeard: false,
  };
  const stack: Frame[] = [root];
  let top = root;
  let depthOver = 0;
  let foreign = 0;

  let tag = "";
  let attributes = noAttributes;
  let attributeCount = 0;
  let attribute = "";
  let value = "";
  let found = 0;
  let raw = "";

  function openTag(isSelfClosed: boolean): void {
    if (tag === "") return;
    const kind = kindOf(tag);
    const { name, closes } = kind;
    if (foreign > 0 && kind.breaksOut) while (foreign > 0) pop();
    if (closes) while (closes.has(top.name)) pop();
    const frame = frameOf(kind);
    if (kind.isBlock) {
      lines.end();
      lines.begin(name);
    } else if (name !== "wbr") lines.seam();
    if (frame.isHeard) for (const collector of openers) collector.open!(frame);
    const sign = frame.isHidden || attributes === noAttributes ? "" : signOf(name, attributes);
    if (sign) lines.text(sign, top);
    if (kind.isVoid || (isSelfClosed && foreign > 0)) {
      if (frame.isHeard) for (const collector of closers) collector.close!(frame);
      return;
    }
    if (stack.length > depthMax) {
      depthOver += 1;
      return;
    }
    if (name === "svg" || name === "math") foreign += 1;
    raw = "";
    stack.push(frame);
    top = frame;
  }

  function frameOf(kind: ElementKind): Frame {
    const { name } = kind;
    const hasStyle =
      (found & flags.style) !== 0 || ((found & flags.names) !== 0 && styles.hasRules());
    const { isHidden, isReversed } = hasStyle ? styles.effectOf(name, attributes) : noEffect;
    const turns = isReversed || (name === "bdo" && /^rtl$/i.test(attributes["dir"] ?? ""));
    return {
      kind,
      name,
      attributes,
      isHidden: top.isHidden || isHidden || name === "template",
      isReversed: top.isReversed || turns,
      hasData: (found & flags.data) !== 0,
      where: places.placeOf(name, attributes, top.isInArticle) ?? top.where,
      depth: stack.length,
      isInArticle: top.isInArticle || name === "article" || name === "main",
      isInLink: top.isInLink || name === "a",
      isBold: top.isBold || kind.isBold,
      isHeard: stack.length <= heardDepthMax || kind.isHeard || (found & heardFlags) !== 0,
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
    if (frame.name === "svg" || frame.name === "math") foreign -= 1;
    if (frame.name === "style") styles.add(raw);
    else if (frame.name === "script") giveScript(frame);
    if (frame.kind.isBlock) {
      lines.end();
      lines.begin(top.name);
    } else lines.seam();
    if (frame.isHeard) for (const collector of closers) collector.close!(frame);
  }

  function giveScript(frame: Frame): void {
    const { type = "", id = "", language = "" } = frame.attributes;
    if (raw === "") return;
    const script = { type: (type || language).trim().toLowerCase(), id, text: raw };
    for (const collector of scripters) collector.script!(script);
  }

  function text(part: string): void {
    if (part === "") return;
    if (top.name === "script" || top.name === "style" || top.name === "title") {
      if (raw.length < scriptCharsMax) raw += part.slice(0, scriptCharsMax - raw.length);
      if (top.name === "title" && foreign === 0) titleText(part);
      return;
    }
    if (top.isHidden || top.name === "textarea" || top.name === "option" || foreign > 0) return;
    lines.text(part, top);
    for (const collector of texters) collector.text!(part);
  }

  function titleText(part: string): void {
    for (const collector of collectors) collector.title?.(part);
  }

  const callbacks: TokenizerCallbacks = {
    onopentagname(start, end) {
      tag = end - start > 40 ? "" : html.slice(start, end).toLowerCase();
      attributes = noAttributes;
      attributeCount = 0;
      found = 0;
    },
    onattribname(start, end) {
      const kind = attributeKind(end - start > 80 ? "" : html.slice(start, end).toLowerCase());
      attribute = kind.name;
      value = "";
      found |= kind.flag;
    },
    onattribdata(start, end) {
      if (value.length < attributeCharsMax)
        value += html.slice(start, Math.min(end, start + attributeCharsMax));
    },
    onattribentity(codepoint) {
      if (value.length < attributeCharsMax) value += String.fromCodePoint(codepoint);
    },
    onattribend() {
      if (attribute === "" || attribute === "__proto__") return;
      if (attributes === noAttributes) attributes = {};
      if (attributes[attribute] !== undefined || ++attributeCount > attributesMax) return;
      attributes[attribute] = value;
    },
    onopentagend: () => openTag(false),
    onselfclosingtag: () => openTag(true),
    onclosetag: (start, end) =>
      closeTag(html.slice(start, Math.min(end, start + 40)).toLowerCase()),
    ontext: (start, end) => text(html.slice(start, end)),
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
