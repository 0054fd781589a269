import { createHash } from "node:crypto";
import { isAscii } from "../../base/text/fold-text.ts";
import { loadPackage } from "../../base/process/load-package.ts";

/**
 * The name of a record's folder: `a-z`, `0-9` and single dashes, so that it cannot lead out of its
 * folder, is one name on disks that do not tell upper from lower case, and needs no quotes.
 */
export const slugLengthMax = 80;

/** Names that Windows keeps for itself, and those that we do. */
const reserved =
  /^(?:con|prn|aux|nul|(?:com|lpt)[0-9]|index|notes|meetings|calls|companies|people|new)$/;

/** Never empty: a text without a letter or digit gets a name made of the id. */
export function slugOf(text: string, id: string): string {
  const plain = (isAscii(text) ? text.toLowerCase() : romanized(text))
    .replaceAll(/['’`]/g, "")
    .replaceAll("&", " and ")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, slugLengthMax)
    .replaceAll(/^-+|-+$/g, "");
  if (plain === "") return `x-${idPiece(id, 8)}`;
  return reserved.test(plain) ? `${plain}-${idPiece(id, 4)}` : plain;
}

/** In Latin letters: accents go, and other scripts are transliterated (`Пекарня` is `pekarnya`). */
function romanized(text: string): string {
  const latin = withoutAccents(text);
  return /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(latin)
    ? transliterated(latin.normalize("NFC")).toLowerCase()
    : latin;
}

/** Its table has half a megabyte, and most names need none of it. */
function transliterated(text: string): string {
  const { default: anyAscii } = loadPackage("any-ascii") as typeof import("any-ascii");
  return anyAscii(text);
}

const withoutAccents = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll("æ", "ae")
    .replaceAll("ø", "o")
    .replaceAll("ł", "l")
    .replaceAll("đ", "d");

export const isSlug = (text: string): boolean =>
  /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text) && text.length <= slugLengthMax + longestPiece + 1;

/** Told apart by some letters of their id: they are hashed, as ids often begin alike. */
export function idPiece(id: string, length: number): string {
  const digest = createHash("sha256").update(id).digest();
  return BigInt(`0x${digest.toString("hex")}`)
    .toString(32)
    .padStart(52, "0")
    .slice(-length);
}

const longestPiece = 32;

/** Where the name alone is another's: with more and more of its id, in the order of trying. */
export const foldersFor = (slugWanted: string, id: string): readonly string[] =>
  [4, 8, longestPiece].map((length) => `${slugWanted}-${idPiece(id, length)}`);
