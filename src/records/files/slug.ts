import { createHash } from "node:crypto";
import { isAscii } from "../../base/text/fold-text.ts";
import { loadPackage } from "../../base/process/load-package.ts";

/**
 * The name of a record's folder: `a-z`, `0-9` and single dashes. So it cannot leave its parent
 * folder, is unique on case-insensitive disks, and needs no quotes.
 */
export const slugLengthMax = 80;

/** Names reserved by Windows and by Forager. */
const reserved =
  /^(?:con|prn|aux|nul|(?:com|lpt)[0-9]|index|notes|meetings|calls|companies|people|new)$/;

/** Never empty: text without a letter or digit gets a name derived from the id. */
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

/**
 * Converts to Latin letters: removes accents, and transliterates other scripts (`Пекарня` is
 * `pekarnya`).
 */
function romanized(text: string): string {
  const latin = withoutAccents(text);
  return /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(latin)
    ? transliterated(latin.normalize("NFC")).toLowerCase()
    : latin;
}

/** Loaded on demand: its table has half a megabyte, and most names do not need it. */
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

/** A part of the hashed id that makes a name unique; hashed because ids often begin alike. */
export function idPiece(id: string, length: number): string {
  const digest = createHash("sha256").update(id).digest();
  return BigInt(`0x${digest.toString("hex")}`)
    .toString(32)
    .padStart(52, "0")
    .slice(-length);
}

const longestPiece = 32;

/** The names to try if another record has the preferred one, with more and more of the id. */
export const foldersFor = (slugWanted: string, id: string): readonly string[] =>
  [4, 8, longestPiece].map((length) => `${slugWanted}-${idPiece(id, length)}`);
