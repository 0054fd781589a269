import { shown } from "./characters.ts";
import { withoutEntities } from "./entities.ts";

/** One line of plain text: no invisible characters, single spaces, at most `charsMax`. */
export function cleanText(text: string, charsMax = 500): string {
  // Text that is cut off later need not be cleaned.
  const head = text.length > charsMax * 8 ? text.slice(0, charsMax * 8) : text;
  const plain = shown(head).trim();
  return plain.length <= charsMax ? plain : cut(plain, charsMax);
}

/** For names and labels that contain markup. "" if nothing useful is left. */
export function cleanName(text: string, charsMax = 120): string {
  const bare = cleanText(withoutEntities(text.slice(0, charsMax * 8)), charsMax * 4)
    .replace(/<(script|style)\b[^<>]{0,500}>[^<]{0,2000}<\/\1\s{0,9}>/gi, " ")
    .replace(/<\/?[a-z!][^<>]{0,1000}>/gi, " ");
  const name = cleanText(bare, charsMax);
  return /[<>]/.test(name) || !/[\p{L}\p{N}]/u.test(name) ? "" : name;
}

function cut(text: string, charsMax: number): string {
  const part = text.slice(0, charsMax);
  return (/[\ud800-\udbff]$/.test(part) ? part.slice(0, -1) : part).trim();
}

/** Lower case, without accents, ß as ss: for looking up words. */
export const folded = (text: string): string =>
  isAscii.test(text)
    ? text.toLowerCase()
    : text
        .normalize("NFKD")
        .replace(/\p{M}+/gu, "")
        .toLowerCase()
        .replaceAll("ß", "ss");

// oxlint-disable-next-line no-control-regex -- most text is, and needs no more looking
const isAscii = /^[\0-\x7f]*$/;
