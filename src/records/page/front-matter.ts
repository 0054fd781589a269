import { hash } from "node:crypto";
import type { PageContent } from "./page.ts";
import { yamlLines, yamlText } from "./yaml-text.ts";

/**
 * A record as text: front matter between two lines of `---`, an empty line, the body. The last key
 * is `rev`, the hash of everything else: a file with a matching `rev` is an unedited render.
 */
export interface Sheet {
  /** A byte order mark at the beginning, which some editors add; otherwise "". */
  readonly bom: string;
  readonly lineEnd: "\n" | "\r\n";
  /** The lines between the two `---`, with normalized line ends. */
  readonly head: string;
  /** Undefined if only white space follows. */
  readonly body: string | undefined;
}

/** Undefined if it does not begin with a line of `---`, or no second one follows. */
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

/** Without the empty line before it, and without the final line end. */
function bodyOf(below: string): string | undefined {
  const body = below.replace(/^\n/, "").replace(/\n$/, "");
  return body === "" ? undefined : body;
}

/** Adds the `rev` of the content. An old one in `head` is replaced. */
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
/** Matches a `rev` in any form that a user may have given it. */
const anyRev = /^rev:[ \t]*["']?([0-9a-f]{16})["']?[ \t]*(?:#.*)?\r?$/m;

/** The `rev` of the render from which a file comes; undefined if it has none. */
export const revIn = (text: string): string | undefined => anyRev.exec(headOf(text))?.[1];

/** The id in a file that is an unedited render; undefined for other files. */
export function idIn(text: string): string | undefined {
  const found = writtenId.exec(headOf(text))?.[1];
  if (found === undefined || !found.startsWith('"')) return found;
  try {
    return JSON.parse(found) as string;
  } catch {
    return undefined; // it was edited
  }
}

/** True if it is an unedited render, byte by byte. */
export function isAsWritten(text: string): boolean {
  const head = headOf(text);
  const rev = writtenRev.exec(head);
  if (!rev) return false;
  const blank = head.replace(writtenRev, "rev: $2") + text.slice(head.length);
  return hashOf(blank) === rev[1];
}

/** Only the head, because a body may contain similar lines. */
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
