import { flags } from "../page/attribute-flags.ts";
import type { Collector, Element } from "../page/page-events.ts";
import { cleanText } from "../text/clean-text.ts";
import { typeName, type StructuredNode, type StructuredValue } from "./structured-node.ts";

/** Builds the nodes that itemscope and itemprop describe while the page is read. */
export interface MicrodataCollector extends Collector {
  finish(): readonly StructuredNode[];
}

interface Scope {
  readonly types: readonly string[];
  readonly properties: Map<string, StructuredValue[]>;
  readonly names: readonly string[];
  readonly element: Element;
}

interface Reading {
  readonly names: readonly string[];
  readonly scope: Scope;
  readonly element: Element;
  text: string;
}

const scopesMax = 500;
const openMax = 50;
const valuesMax = 100;

export function createMicrodataCollector(): MicrodataCollector {
  const top: StructuredNode[] = [];
  const scopes: Scope[] = [];
  const readings: Reading[] = [];
  let count = 0;

  function open(element: Element): void {
    const { itemprop, itemscope, itemtype } = element.attributes;
    if (itemprop === undefined && itemscope === undefined) return;
    const names = itemprop === undefined ? [] : itemprop.trim().split(/\s+/).slice(0, 5);
    if (itemscope !== undefined) {
      if (++count > scopesMax || scopes.length >= openMax) return;
      const types = (itemtype ?? "").trim().split(/\s+/).slice(0, 5).filter(Boolean).map(typeName);
      scopes.push({ types, properties: new Map(), names, element });
      return;
    }
    const scope = scopes.at(-1);
    if (!scope) return;
    const value = attributeValue(element);
    if (value !== undefined) put(scope, names, cleanText(value, 2_000));
    else if (readings.length < openMax) readings.push({ names, scope, element, text: "" });
  }

  function text(part: string): void {
    for (const reading of readings) if (reading.text.length < 4_000) reading.text += part;
  }

  function close(element: Element): void {
    if (readings.at(-1)?.element === element) {
      const { scope, names, text: read } = readings.pop()!;
      put(scope, names, cleanText(read, 2_000));
    }
    if (scopes.at(-1)?.element !== element) return;
    const scope = scopes.pop()!;
    const parent = scopes.at(-1);
    if (parent && scope.names.length > 0) put(parent, scope.names, scope);
    else top.push(scope);
  }

  return { interest: { attributes: flags.item }, open, text, close, finish: () => top };
}

function put(scope: Scope, names: readonly string[], value: StructuredValue): void {
  for (const name of names) {
    const values = scope.properties.get(name) ?? [];
    if (values.length < valuesMax && value !== "") scope.properties.set(name, [...values, value]);
  }
}

function attributeValue({ name, attributes }: Element): string | undefined {
  const { content, href, src, datetime, value, itemprop = "" } = attributes;
  if (content !== undefined) return content;
  // In the standard, the value of a link is its address, but many authors mean its text. The
  // address is used only if the name of the property suggests one.
  if (name === "a")
    return /url|sameas|email|telephone|image|logo|map/i.test(itemprop) ? href : undefined;
  if (name === "link" || name === "area") return href;
  if (name === "img" || name === "iframe" || name === "source") return src;
  if (name === "time") return datetime;
  return name === "data" || name === "meter" ? value : undefined;
}
