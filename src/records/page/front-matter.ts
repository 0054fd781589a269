import { hash } from "node:crypto";
import type { PageContent } from "./page.ts";
import { yamlLines, yamlText } from "./yaml-text.ts";

/**
 * A record as text: front matter between two lines of `---`, an empty line, the body. Its last key
 * is `rev`, the hash of all the rest: a file whose `rev` fits is as we wrote it, whoever asks.
 */
export interface Sheet {
  /** A mark at the very beginning that some editors put there; else "". */
  readonly bom: string;
  readonly lineEnd: "\n" | "\r\n";
  /** The lines between the marks, with line ends as ours. */
  readonly head: string;
  /** Undefined: nothing but white space follows. */
  readonly body: string | undefined;
}

/** Undefined: it does not begin with a line of `---`, or none ends it. */
export function splitSheet(text: string): Sheet | undefined {
  const bom = text.startsWith("\ufeff") ? "\ufeff" : "";
  const rest = text.slice(bom.length);
  const opened = /^---[ \t]*(\r?\n)/.exec(rest);
  if (!opened) return undefined;
  const lineEnd = opened[1] as Sheet["lineEnd"];
  const from = opened[0].length;
  const close = /^---[ \t]*(?:\r?\n|$)/m;
  const closed = close.exec(rest.slice(from));
  if (!closed) return undefined;
  const head = ours(rest.slice(from, from + closed.index), lineEnd);
  const below = ours(rest.slice(from + closed.index + closed[0].length), lineEnd);
  return { bom, lineEnd, head, body: bodyOf(below) };
}

const ours = (text: string, lineEnd: Sheet["lineEnd"]) =>
  lineEnd === "\r\n" ? text.replaceAll("\r\n", "\n") : text;

/** Without the empty line above it, and without the line end that files end with. */
function bodyOf(below: string): string | undefined {
  const body = below.replace(/^\n/, "").replace(/\n$/, "");
  return body === "" ? undefined : body;
}

/** With the `rev` of what it holds. `head` may have an old one, which is replaced. */
export function joinSheet({ bom, lineEnd, head, body }: Sheet): string {
  const withRev = revLine.test(head) ? head.replace(revLine, "rev: \n") : `${head}rev: \n`;
  const plain = `---\n${withRev}---\n${body === undefined ? "" : `\n${body}\n`}`;
  const text = bom + (lineEnd === "\r\n" ? plain.replaceAll(/\r?\n/g, "\r\n") : plain);
  return text.replace(emptyRev, `rev: ${hashOf(text)}$1`);
}

export function writePage({ keys, body }: PageContent, id: string): string {
  let head = "";
  for (const [key, value] of keys) head += yamlLines(key, value);
  head += `id: ${yamlText(id)}\nrev: \n`;
  return joinSheet({ bom: "", lineEnd: "\n", head, body });
}

const revLine = /^rev:.*\n/m;
const emptyRev = /^rev: (\r?)$/m;
const writtenRev = /^rev: ([0-9a-f]{16})(\r?)$/m;
const writtenId = /^id: (.+)\r?$/m;
/** Whatever someone made of it. */
const anyRev = /^rev:[ \t]*["']?([0-9a-f]{16})["']?[ \t]*(?:#.*)?\r?$/m;

/** Of the render that a file comes from; undefined where it does not tell. */
export const revIn = (text: string): string | undefined => anyRev.exec(headOf(text))?.[1];

/** Of the record that a file of ours is; undefined where it is not as we write it. */
export function idIn(text: string): string | undefined {
  const found = writtenId.exec(headOf(text))?.[1];
  if (found === undefined || !found.startsWith('"')) return found;
  try {
    return JSON.parse(found) as string;
  } catch {
    return undefined; // a hand was at it
  }
}

/** Whether it is, letter for letter, what we wrote. */
export function isAsWritten(text: string): boolean {
  const head = headOf(text);
  const rev = writtenRev.exec(head);
  if (!rev) return false;
  const blank = head.replace(writtenRev, "rev: $2") + text.slice(head.length);
  return hashOf(blank) === rev[1];
}

/** A body may hold lines that look like ours. */
function headOf(text: string): string {
  const end = /^---[ \t]*\r?$/gm;
  end.lastIndex = 4;
  const found = end.exec(text);
  return found ? text.slice(0, found.index) : text;
}

export const hashOf = (text: string | Uint8Array): string =>
  hash("sha256", text, "hex").slice(0, 16);

export const isClean = (bytes: Uint8Array): boolean => isAsWritten(textOf(bytes));
export const isEqual = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
export function textOf(bytes: Uint8Array): string;
export function textOf(bytes: Uint8Array | undefined): string | undefined;
export function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}
