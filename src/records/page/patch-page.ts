import { isMap, isScalar, isSeq, Pair, Scalar, YAMLMap, type Document } from "yaml";
import { joinSheet } from "./front-matter.ts";
import type { RecordLayout } from "../files/layout.ts";
import { meaningOf, type PageContent } from "./page.ts";
import type { ParsedPage } from "./parse-page.ts";
import { isPlain } from "./yaml-text.ts";

/**
 * The new text of a file that a user has formatted: comments, the order of keys, line ends and
 * custom keys are kept; only values that differ are changed. List elements get the order of the
 * page, so that the order is the same on every node.
 */
export function patchPage(
  layout: RecordLayout,
  parsed: ParsedPage,
  page: PageContent,
  id: string,
): string {
  const { document, sheet } = parsed;
  const map = isMap(document.contents) ? document.contents : new YAMLMap();
  if (map !== document.contents) document.contents = map as typeof document.contents;
  for (const item of map.items.slice()) {
    const key = keyText(item.key);
    if (meaningOf(layout, key).kind === "own" || page.keys.has(key)) continue;
    // A key without a value, which a user added to fill in later, is kept.
    if (parsed.page.keys.has(key)) map.items.splice(map.items.indexOf(item), 1);
  }
  for (const [key, value] of page.keys) {
    const item = map.items.find((one) => keyText(one.key) === key);
    const now = parsed.page.keys.get(key);
    if (!item) insert(map, new Pair(textNode(key), nodeOf(document, value)));
    else if (!isSame(now, value) || isMisread(item.value, value)) setValue(document, item, value);
  }
  setOwn(document, map, "id", id);
  if (!map.items.some(({ key }) => keyText(key) === "rev")) {
    map.items.push(new Pair(textNode("rev"), new Scalar("")));
  }
  const head = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  return joinSheet({ ...sheet, head, body: page.body });
}

/** Text such as `01234` that YAML reads as a number would lose its zero when written. */
const isMisread = (node: unknown, value: unknown): boolean =>
  isScalar(node) && typeof value === "string" && typeof node.value !== "string";

/** Before the last two keys, if they exist. */
function insert(map: YAMLMap, pair: Pair): void {
  const at = map.items.findIndex(({ key }) => keyText(key) === "id");
  map.items.splice(at < 0 ? map.items.length : at, 0, pair);
}

function setOwn(document: Document, map: YAMLMap, name: string, text: string): void {
  const item = map.items.find(({ key }) => keyText(key) === name);
  if (!item) map.items.push(new Pair(textNode(name), nodeOf(document, text)));
}

/** A scalar keeps the comment after it; a list keeps those of the remaining elements. */
function setValue(document: Document, item: Pair, value: unknown): void {
  const old = item.value;
  if (isSeq(old) && Array.isArray(value)) {
    const known = new Map(old.items.map((one) => [itemText(one), one]));
    old.items = value.map((one: unknown) => {
      const node = typeof one === "string" ? known.get(one) : undefined;
      return node && !isMisread(node, one) ? node : nodeOf(document, one);
    });
    return;
  }
  const node = nodeOf(document, value);
  if (isScalar(old) && isScalar(node)) {
    if (old.comment) node.comment = old.comment;
    if (old.commentBefore) node.commentBefore = old.commentBefore;
    if (old.spaceBefore) node.spaceBefore = old.spaceBefore;
  }
  item.value = node;
}

function nodeOf(document: Document, value: unknown) {
  return typeof value === "string" ? textNode(value) : document.createNode(value);
}

function textNode(text: string): Scalar<string> {
  const node = new Scalar(text);
  node.type = isPlain(text) ? "PLAIN" : "QUOTE_DOUBLE";
  return node;
}

const keyText = (key: unknown): string =>
  isScalar(key) ? (key.source ?? String(key.value)) : String(key);

const itemText = (node: unknown): string =>
  isScalar(node)
    ? typeof node.value === "string"
      ? node.value
      : (node.source ?? String(node.value))
    : "";

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
