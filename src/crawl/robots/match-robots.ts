import type { Robots } from "./parse-robots.ts";
import { robotsPathOf } from "./robots-path.ts";

/** Whether a URL of the file's own origin may be requested. robots.txt itself always may. */
export function isAllowedByRobots({ rules }: Robots, url: string): boolean {
  const path = robotsPathOf(new URL(url));
  if (path === "/robots.txt") return true;
  const decisive = rules.find(({ pattern }) => matchesPattern(pattern, path));
  return decisive === undefined || decisive.allow;
}

/**
 * Linear in pattern and path: the pieces between stars are searched one after the other, each from
 * the end of the one before, and no piece is searched again.
 */
export function matchesPattern(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith("$");
  const pieces = (isAnchored ? pattern.slice(0, -1) : pattern).split("*");
  const first = pieces[0]!;
  if (!path.startsWith(first)) return false;
  if (pieces.length === 1) return !isAnchored || path.length === first.length;
  let at = first.length;
  const last = pieces.length - 1;
  for (let index = 1; index < last; index++) {
    const found = indexOfLinear(path, pieces[index]!, at);
    if (found === -1) return false;
    at = found + pieces[index]!.length;
  }
  const piece = pieces[last]!;
  if (isAnchored) return path.length - piece.length >= at && path.endsWith(piece);
  return indexOfLinear(path, piece, at) !== -1;
}

/** Knuth-Morris-Pratt search: the built-in one is quadratic on "aaaa…ab". */
function indexOfLinear(text: string, piece: string, from: number): number {
  if (piece.length < 8) return text.indexOf(piece, from); // at most eight times as long
  if (piece.length > text.length - from) return -1;
  const back = new Int32Array(piece.length);
  for (let at = 1, length = 0; at < piece.length;) {
    if (piece[at] === piece[length]) back[at++] = ++length;
    else if (length > 0) length = back[length - 1]!;
    else back[at++] = 0;
  }
  for (let at = from, length = 0; at < text.length;) {
    if (text[at] === piece[length]) {
      at += 1;
      if (++length === piece.length) return at - length;
    } else if (length > 0) length = back[length - 1]!;
    else at += 1;
  }
  return -1;
}
