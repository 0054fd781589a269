import { shown } from "../text/characters.ts";

/**
 * Parses JSON as people paste it into pages: with comments, trailing commas, raw line breaks in
 * strings, wrapped in CDATA or HTML comments. Undefined if it cannot be parsed.
 */
const charsMax = 300_000;

export function parseTolerant(text: string): unknown {
  if (text.length > charsMax) return undefined;
  const body = text
    .trim()
    .replace(/^(?:\/\/\s{0,3})?(?:<!--|<!\[CDATA\[|\/\*\s{0,3}<!\[CDATA\[\s{0,3}\*\/)/, "")
    .replace(/(?:\/\/\s{0,3})?(?:-->|\]\]>|\/\*\s{0,3}\]\]>\s{0,3}\*\/)\s{0,9}$/, "")
    .replace(/;\s{0,9}$/, "")
    .trim();
  return parsed(body) ?? parsed(repaired(body));
}

function parsed(text: string): unknown {
  if (nesting(text) > 200) return undefined; // no real page nests this deep
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 123 || code === 91) deepest = Math.max(deepest, ++depth);
    else if (code === 125 || code === 93) depth -= 1;
  }
  return deepest;
}

/** One pass that knows whether it is inside a string. */
function repaired(text: string): string {
  let out = "";
  let at = 0;
  while (at < text.length) {
    const sign = text[at]!;
    if (sign === '"') {
      const end = stringEnd(text, at);
      out += shown(text.slice(at, end)).replace(/\\(?!["\\/bfnrtu])/g, "");
      at = end;
    } else if (sign === "/" && text[at + 1] === "/") {
      const end = text.indexOf("\n", at);
      at = end === -1 ? text.length : end;
    } else if (sign === "/" && text[at + 1] === "*") {
      const end = text.indexOf("*/", at + 2);
      at = end === -1 ? text.length : end + 2;
    } else if (sign === "}" || sign === "]") {
      out = `${out.replace(/,\s{0,200}$/, "")}${sign}`;
      at += 1;
    } else {
      const next = nextMark(text, at + 1);
      out += text.slice(at, next);
      at = next;
    }
  }
  return out;
}

function nextMark(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === '"' || sign === "/" || sign === "}" || sign === "]") return at;
  }
  return text.length;
}

function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
