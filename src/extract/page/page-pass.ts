import { marksOf } from "../text/marks.ts";
import { flags } from "./attribute-flags.ts";
import { kindOf, signOf, type ElementKind } from "./element-names.ts";
import { subscribersAmong, type Subscribers } from "./subscribers.ts";
import { createLineBuilder, type LineContext } from "./line-builder.ts";
import type { Collector, Element } from "./page-events.ts";
import { createPlaces } from "./page-place.ts";
import { noAttributes, scanPage, type Tag } from "./page-scanner.ts";
import { createStyleRules, noEffect } from "./style-rules.ts";

/**
 * One pass over a page for all collectors. Memory and time grow only with the length of the page.
 * At most `depthMax` elements are open; deeper ones are reported, but their content counts as their
 * parents'.
 */
const depthMax = 256;
const scriptCharsMax = 300_000;
/** How many open elements an end tag may search for its start tag. */
const closeReach = 64;

/**
 * The properties of everything inside an element. Most elements change none and share their
 * parent's.
 */
interface Scope extends LineContext {
  readonly isHidden: boolean;
  readonly isInArticle: boolean;
}

/** An open element. Elements of one depth reuse one object. */
interface Frame {
  kind: ElementKind;
  scope: Scope;
  /** Undefined if no collector subscribes to it. */
  element: Element | undefined;
  subscribers: Subscribers;
}

const outermost: Scope = {
  where: "body",
  isHidden: false,
  isReversed: false,
  isInArticle: false,
  isInLink: false,
  isBold: false,
};

export function readPage(html: string, collectors: readonly Collector[]): void {
  const liners = collectors.filter((collector) => collector.line);
  const texters = collectors.filter((collector) => collector.text);
  const scripters = collectors.filter((collector) => collector.script);
  const subscribersOf = subscribersAmong(collectors);
  const styles = createStyleRules();
  const places = createPlaces();
  const lines = createLineBuilder((line) => {
    for (const collector of liners) collector.line!(line);
  });
  const newFrame = (): Frame => ({
    kind: kindOf("#root"),
    scope: outermost,
    element: undefined,
    subscribers: { open: [], close: [] },
  });
  /** Frames up to `depth` are open; the ones beyond are kept for reuse. */
  const frames: Frame[] = [newFrame()];
  let depth = 0;
  let top = frames[0]!;
  let depthOver = 0;
  let foreign = 0;
  let raw = "";

  function open(tag: Tag): void {
    const { kind, attributes } = tag;
    if (foreign > 0 && kind.breaksOut) while (foreign > 0) pop();
    if (kind.closes) while (kind.closes.has(top.kind.name)) pop();
    const scope = scopeOf(tag);
    if (kind.isBlock) {
      lines.end();
      lines.begin(kind);
    } else if (kind.name !== "wbr") lines.seam();
    const subscribers = subscribersOf(kind, tag.found);
    const hasSubscriber = subscribers.open.length > 0 || kind.name === "script";
    const element = hasSubscriber ? elementOf(tag, scope) : undefined;
    for (const index of subscribers.open) collectors[index]!.open!(element!);
    if (kind.isSign && attributes !== noAttributes && !scope.isHidden) {
      const sign = signOf(kind.name, attributes);
      if (sign) lines.text(sign, top.scope, marksOf(sign));
    }
    if (kind.isVoid || (tag.isSelfClosed && foreign > 0)) {
      for (const index of subscribers.close) collectors[index]!.close!(element!);
      return;
    }
    if (depth >= depthMax) {
      depthOver += 1;
      return;
    }
    if (kind.isDrawing) foreign += 1;
    raw = "";
    depth += 1;
    if (depth === frames.length) frames.push(newFrame());
    top = frames[depth]!;
    top.kind = kind;
    top.scope = scope;
    top.element = element;
    top.subscribers = subscribers;
  }

  function scopeOf({ kind, attributes, found }: Tag): Scope {
    const { scope } = top;
    const { name } = kind;
    const hasStyle =
      (found & flags.style) !== 0 || ((found & flags.names) !== 0 && styles.hasRules());
    const isPlaced =
      kind.isPlaced ||
      (found & flags.role) !== 0 ||
      (kind.isContainer && (found & flags.names) !== 0);
    if (!hasStyle && !isPlaced && !kind.isScope) return scope;
    const effect = hasStyle ? styles.effectOf(name, attributes) : noEffect;
    const turns = effect.isReversed || (name === "bdo" && /^rtl$/i.test(attributes["dir"] ?? ""));
    const where =
      (isPlaced ? places.placeOf(kind, attributes, scope.isInArticle) : undefined) ?? scope.where;
    const isHidden = scope.isHidden || effect.isHidden || name === "template";
    const isReversed = scope.isReversed || turns;
    const isInArticle = scope.isInArticle || name === "article" || name === "main";
    const isInLink = scope.isInLink || name === "a";
    const isBold = scope.isBold || kind.isBold;
    const isSame =
      where === scope.where &&
      isHidden === scope.isHidden &&
      isReversed === scope.isReversed &&
      isInArticle === scope.isInArticle &&
      isInLink === scope.isInLink &&
      isBold === scope.isBold;
    return isSame ? scope : { where, isHidden, isReversed, isInArticle, isInLink, isBold };
  }

  function elementOf({ kind, attributes, found }: Tag, scope: Scope): Element {
    return {
      name: kind.name,
      attributes,
      isHidden: scope.isHidden,
      hasData: (found & flags.data) !== 0,
      hasWords: (found & flags.words) !== 0,
      where: scope.where,
      isReversed: scope.isReversed,
      depth: depth + 1,
    };
  }

  function close(kind: ElementKind): void {
    // Nearly always the element that was opened last.
    if (kind === top.kind && depthOver === 0 && depth > 0) return pop();
    const { name, isVoid, isBlock } = kind;
    if (name === "br") return lines.end();
    if (isVoid) return;
    if (depthOver > 0) {
      depthOver -= 1;
      return;
    }
    const last = Math.max(0, depth - closeReach);
    for (let at = depth; at > last; at--) {
      if (frames[at]!.kind.name !== name) continue;
      while (depth >= at) pop();
      return;
    }
    if (isBlock) lines.end();
  }

  function pop(): void {
    const { kind, element, subscribers } = top;
    depth -= 1;
    top = frames[depth]!;
    if (kind.isDrawing) foreign -= 1;
    else if (kind.name === "style") styles.add(raw);
    else if (kind.name === "script") giveScript(element!);
    if (kind.isBlock) {
      lines.end();
      lines.begin(top.kind);
    } else lines.seam();
    for (const index of subscribers.close) collectors[index]!.close!(element!);
  }

  function giveScript({ attributes }: Element): void {
    const { type = "", id = "", language = "" } = attributes;
    if (raw === "") return;
    const script = { type: (type || language).trim().toLowerCase(), id, text: raw };
    for (const collector of scripters) collector.script!(script);
  }

  function text(part: string, bits: number): void {
    const { kind, scope } = top;
    if (kind.text === "kept") return keep(part);
    if (scope.isHidden || kind.text === "unread" || foreign > 0) return;
    lines.text(part, scope, bits);
    for (const collector of texters) collector.text!(part, bits);
  }

  function keep(part: string): void {
    if (raw.length < scriptCharsMax) raw += part.slice(0, scriptCharsMax - raw.length);
    if (top.kind.name === "title" && foreign === 0)
      for (const collector of collectors) collector.title?.(part);
  }

  scanPage(html, {
    open,
    close,
    text,
    raw(part) {
      // Raw text of an element beyond the depth limit: the text of a script is not visible at any
      // depth.
      if (top.kind.raw === "none") return;
      if (top.kind.text === "kept") keep(part);
      else text(part, marksOf(part));
    },
    isInDrawing: () => foreign > 0,
    asksForNames: () => styles.hasRules(),
  });
  while (depth > 0) pop();
  lines.end();
}
