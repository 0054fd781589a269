import { escape, mayMatter, markOf, recordEnd, unitEnd } from "./marks.ts";

/**
 * One unit, without its end. Escapes marks inside it, in both forms, and white space at its start
 * and end: our reader strips only line ends, but others strip more.
 */
export function encodeUnit(text: string): string {
  const { length } = text;
  let out = "";
  let from = 0;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (!mayMatter(code) || markOf(code) === undefined) continue;
    out += text.slice(from, at) + escape;
    from = at;
  }
  const inner = from === 0 && out === "" ? text : out + text.slice(from);
  return isEdge(text, 0) || isEdge(text, length - 1) ? escapeEdges(inner) : inner;
}

/** One record: every unit is ended, and a line end follows to make the text readable. */
export function encodeRecord(units: readonly string[]): string {
  let out = "";
  for (const unit of units) out += encodeUnit(unit) + unitEnd;
  return `${out}${recordEnd}\n`;
}

const white = /\s/u;
function isEdge(text: string, at: number): boolean {
  if (at < 0 || at >= text.length) return false;
  const code = text.charCodeAt(at);
  return code > 0x20 && code < 0x7f ? false : white.test(text[at]!);
}

/**
 * An escaped mark is never white space, so white space at the edges of the encoded text was in the
 * text.
 */
function escapeEdges(text: string): string {
  const head = /^\s*/u.exec(text)![0];
  const tail = head.length === text.length ? "" : /\s*$/u.exec(text)![0];
  const escaped = (edge: string) => edge.replaceAll(/\s/gu, (one) => escape + one);
  return escaped(head) + text.slice(head.length, text.length - tail.length) + escaped(tail);
}
