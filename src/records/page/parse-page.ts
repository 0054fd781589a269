import {
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  Scalar,
  visit,
  type Document,
} from "yaml";
import { splitSheet, revIn, type Sheet } from "./front-matter.ts";
import { bodyField, type RecordLayout } from "../files/layout.ts";
import { meaningOf, type PageContent } from "./page.ts";
import { extraPrefix } from "../fields/fields.ts";
import { keyMeant, plainName, refusedKeys } from "../ingest/spellings.ts";

export interface ParsedPage {
  readonly page: PageContent;
  readonly sheet: Sheet;
  readonly document: Document;
  /** The id in the file; "" if there is none. */
  readonly id: string;
  readonly rev: string | undefined;
  /** The file only contains the new location of the record. */
  readonly isRedirect: boolean;
}

/** The reason why a file cannot be used, as a sentence that says what to do. */
export class PageFault extends Error {
  override readonly name = "PageFault";
}

export const headBytesMax = 256 * 1024;

/** Throws PageFault. Nothing in a file is ever executed, and YAML aliases are not expanded. */
export function parsePage(layout: RecordLayout, bytes: Uint8Array): ParsedPage {
  const text = decode(bytes);
  const sheet = splitSheet(text);
  if (!sheet) throw noFrontMatter(text);
  if (sheet.head.length > headBytesMax) {
    throw new PageFault(`its front matter is over ${headBytesMax} bytes: move text into the body`);
  }
  if (conflictMark.test(sheet.head)) throw conflictFault();
  if (depthOf(sheet.head) > depthMax) {
    throw new PageFault("its front matter is not YAML: it is nested too deeply");
  }
  const document = parseHead(sheet.head);
  const keys = new Map<string, unknown>();
  let id = "";
  let isRedirect = false;
  let { body } = sheet;
  for (const { key, value } of itemsOf(document, layout)) {
    if (key === bodyField) {
      body = bodyWith(body, textIn(value, key));
      continue;
    }
    const meaning = meaningOf(layout, key);
    if (meaning.kind === "own") {
      if (key === "id") id = textIn(value, key) ?? "";
      if (key === "movedTo") isRedirect = true;
      continue;
    }
    const read = readValue(meaning, key, value);
    if (read !== undefined) keys.set(key, joined(key, keys.get(key), read));
  }
  return {
    page: { keys, body },
    sheet,
    document,
    id,
    rev: revIn(text),
    isRedirect,
  };
}

const depthMax = 100;

/** The nesting depth of brackets, ignoring quotes: parsing very deep nesting takes minutes. */
function depthOf(head: string): number {
  let [depth, deepest] = [0, 0];
  for (const [mark] of head.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (mark === "[" || mark === "{") deepest = Math.max(deepest, ++depth);
    else if (mark === "]" || mark === "}") depth -= 1;
  }
  return deepest;
}

export function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new PageFault("it is not UTF-8 text: save it as UTF-8");
  }
}

const conflictMark = /^(?:<{7}|>{7})(?: |$)/m;

/** True if the text contains both marks of an unresolved merge conflict. */
export const hasConflict = (text: string): boolean => /^<{7} /m.test(text) && /^>{7} /m.test(text);

export const conflictFault = () =>
  new PageFault("it contains the marks of an unfinished merge (<<<<<<<): choose one side");

function noFrontMatter(text: string): PageFault {
  const first = text.replace(/^\ufeff/, "").split(/\r?\n/, 1)[0] ?? "";
  if (/^---[ \t]*$/.test(first)) {
    return new PageFault("its front matter has no end: put a line of --- below the last key");
  }
  return first.startsWith("---")
    ? new PageFault(
        `it begins with "${first.slice(0, 20)}": only YAML between lines of --- is read`,
      )
    : new PageFault("it has no front matter: it must begin with a line of ---");
}

function parseHead(head: string): Document {
  let document: Document;
  try {
    document = parseDocument(head, {
      version: "1.2",
      schema: "core",
      uniqueKeys: true,
      strict: true,
      intAsBigInt: true,
      keepSourceTokens: false,
    }) as unknown as Document;
  } catch (error) {
    // Nested deeper than the stack allows.
    throw new PageFault(`its front matter is not YAML: ${(error as Error).message.slice(0, 200)}`);
  }
  const fault = document.errors[0] ?? document.warnings[0];
  if (fault) throw new PageFault(`its front matter is not YAML: ${firstLine(fault.message)}`);
  if (document.contents !== null && !isMap(document.contents)) {
    throw new PageFault("its front matter is not a list of keys: write one `key: value` a line");
  }
  visit(document, (_, node) => {
    if (isAlias(node) || ((isScalar(node) || isCollection(node)) && node.anchor)) {
      throw new PageFault("it contains a YAML anchor (& or *): write the value itself");
    }
    return undefined;
  });
  return document;
}

const firstLine = (text: string) => (text.split("\n", 1)[0] ?? "").replace(/:$/, "");

/**
 * Yields the keys in their right spelling with their values. A key in another spelling (`email`,
 * `website_url`) is renamed in the document. It is removed if the right one exists too, or if there
 * is none (the body).
 */
function* itemsOf({ contents }: Document, layout: RecordLayout) {
  if (!isMap(contents)) return;
  const nameOf = (key: unknown) => {
    if (!isScalar(key)) throw new PageFault("one of its keys is not text: write `key: value`");
    return key.source ?? String(key.value);
  };
  const there = new Set(contents.items.map(({ key }) => nameOf(key)));
  for (const item of contents.items.slice()) {
    const written = nameOf(item.key);
    const refused = refusedKeys.get(plainName(written));
    if (refused !== undefined && !layout.keys.has(written)) throw new PageFault(refused);
    const key = layout.keys.has(written)
      ? written
      : (keyMeant(layout.spellings, written) ?? written);
    const isSecond = key !== written && there.has(key);
    if (isSecond || key === bodyField) contents.items.splice(contents.items.indexOf(item), 1);
    else if (key !== written) item.key = new Scalar(key);
    there.add(key);
    yield { key, value: item.value };
  }
}

/** A list may be written in several parts; any other key has one value. */
function joined(key: string, before: unknown, value: unknown): unknown {
  if (before === undefined) return value;
  if (Array.isArray(before) && Array.isArray(value)) return [...new Set([...before, ...value])];
  if (JSON.stringify(before) === JSON.stringify(value)) return value;
  throw new PageFault(`it says ${key} twice, in two spellings and with two values: keep one`);
}

function bodyWith(body: string | undefined, text: string | undefined): string | undefined {
  if (text === undefined || text === body) return body;
  if (body === undefined) return text;
  throw new PageFault("it has a key description and a text below: the text is the description, keep it alone"); // prettier-ignore
}

type Meaning = ReturnType<typeof meaningOf>;

function readValue(meaning: Meaning, key: string, node: unknown): unknown {
  switch (meaning.kind) {
    case "text":
      return meaning.field.startsWith(extraPrefix) ? anyIn(node) : textIn(node, key);
    case "number":
      return numberIn(node, key);
    case "list":
    case "links":
    case "aliases":
      return listIn(node, key);
    case "own":
      return undefined;
  }
}

/** The source text: `01234` keeps its zero. An empty value, null and "" mean no value. */
function textIn(node: unknown, key: string): string | undefined {
  if (node === null || node === undefined) return undefined;
  if (!isScalar(node)) throw new PageFault(`${key} must be text, on one line`);
  if (node.value === null || node.value === "") return undefined;
  return typeof node.value === "string" ? node.value : (node.source ?? JSON.stringify(node.value));
}

function numberIn(node: unknown, key: string): number | undefined {
  const text = textIn(node, key);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) {
    throw new PageFault(`${key} must be a number, not "${text.slice(0, 40)}"`);
  }
  return value;
}

function listIn(node: unknown, key: string): readonly string[] | undefined {
  const nodes = isSeq(node) ? node.items : [node];
  const texts = nodes.flatMap((one) => {
    const text = textIn(one, `each of ${key}`);
    return text === undefined ? [] : [text];
  });
  return texts.length === 0 ? undefined : [...new Set(texts)];
}

export const isCode = ({ value, source }: { value: unknown; source?: string }): boolean =>
  typeof value === "bigint" && /^[-+]?0\d/.test(source ?? "");

/** Any JSON. Numbers that JavaScript cannot represent exactly stay text. */
function anyIn(node: unknown): unknown {
  if (isScalar(node)) {
    // A number with a leading zero is a code and not a number.
    if (isCode(node)) return node.source;
    if (typeof node.value === "bigint") {
      const value = Number(node.value);
      return String(value) === String(node.value) || BigInt(value) === node.value
        ? value
        : String(node.value);
    }
    if (typeof node.value === "number" && !Number.isFinite(node.value)) return node.source;
    return node.value ?? undefined;
  }
  if (isSeq(node)) return node.items.map((one) => anyIn(one) ?? null);
  if (!isMap(node)) return undefined;
  return Object.fromEntries(
    node.items.map(({ key, value }) => {
      if (!isScalar(key)) throw new PageFault("a key inside a value is not text");
      return [String(key.source ?? key.value), anyIn(value) ?? null];
    }),
  );
}
